package io.kvasir.plugin.local;

import io.kvasir.plugin.local.LogPage.Ending;
import java.util.List;

/**
 * Puts and endings that share a sequence, a page of the log and a flush.
 *
 * @param page its page in the ring
 * @param clock of the call that saves
 * @param ending slots that are free once the batch is flushed (I4)
 * @param from where in the call's list it begins
 * @param to where the next batch of the call begins
 */
record Batch(
    LogPage.Kind kind,
    long seq,
    int page,
    int clock,
    List<Incoming> puts,
    List<Ending> endings,
    List<Integer> ending,
    int from,
    int to) {}
