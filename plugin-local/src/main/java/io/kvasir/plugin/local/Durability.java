package io.kvasir.plugin.local;

/** What an acknowledged save survives. */
public enum Durability {
  /** The end of the process and power loss; each save call flushes alone. */
  ACK,
  /** The end of the process and power loss; save calls that wait at the same time share a flush. */
  BATCH,
  /** The end of the process. After power loss any block may be gone, and none is wrong. */
  NONE
}
