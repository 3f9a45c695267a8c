package io.kvasir.benchmarks;

/**
 * What some rounds came to.
 *
 * @param what was measured
 * @param gigabytesPerSecond of all rounds
 * @param ratio to the raw rounds around each; null for raw rounds themselves
 * @param cpuSecondsPerGigabyte of all rounds
 * @param rounds how many there were
 */
record Figure(
    String what,
    Median gigabytesPerSecond,
    Median ratio,
    Median cpuSecondsPerGigabyte,
    int rounds) {}
