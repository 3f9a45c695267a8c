package io.kvasir.api;

import java.util.List;

/**
 * What an engine's stream waits for before it touches the blocks of a load that was {@linkplain
 * KvRequest#loadAhead reported ahead}. An event alone says nothing of a block: what is loaded, the
 * statuses of the {@link LoadResult} say; when its bytes are there, these events.
 *
 * <p>Whoever uses the blocks for anything, also those of a request that was given up meanwhile,
 * waits first: until then they are written. The planes of a part arrive in order, so that waiting
 * for the last waits for all. The events are Kvasir's: an engine waits for them ({@code
 * cuStreamWaitEvent}) or asks ({@code cuEventQuery}), and neither records nor destroys them. They
 * are good until the connector is closed; as they are recorded again for later loads, behind these
 * on the same stream, a wait that comes late may wait longer, and never too short.
 */
@FunctionalInterface
public interface Arrival {
  /** Of bytes that are there. */
  Arrival NOW = (group, shard, plane) -> List.of();

  /**
   * {@return the events after which a plane of all the blocks that are {@code OK} is there: all of
   * them are to be waited for, and none where it is there already}
   *
   * @param group id of the group
   * @param shard index of the shard
   * @param plane index of the plane in the block memory of that part, in payload order
   */
  List<Fence.Event> events(int group, int shard, int plane);
}
