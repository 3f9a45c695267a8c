/**
 * Blocks of a GPU's memory, moved to and from the frames of any backend. Start at {@link
 * io.kvasir.cuda.Cuda#over}, which a backend calls when it opens; below it lie {@code DevicePath}
 * (what the core calls), {@code Gpu} (an open device with its threads) and the {@code Mover}s, and
 * at the bottom {@code Driver}, the only thing that knows CUDA.
 */
package io.kvasir.cuda;
