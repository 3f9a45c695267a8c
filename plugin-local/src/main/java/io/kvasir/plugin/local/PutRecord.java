package io.kvasir.plugin.local;

/**
 * "This slot holds this block": what the log says of a put. Depth is the block's index in its
 * chain.
 */
record PutRecord(int slot, Key key, int length, int crc, int depth, int clock, Bits128 parent) {}
