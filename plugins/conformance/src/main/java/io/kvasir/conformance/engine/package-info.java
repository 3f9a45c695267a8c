/**
 * An engine that is none: it keeps pages, prefills in chunks, preempts, aborts and changes weights
 * as an engine does, and computes bytes instead of tensors, so that a wrong byte anywhere is found
 * by computing it again. Start at {@link io.kvasir.conformance.engine.PagedEngine}; its memory is
 * native ({@link io.kvasir.conformance.engine.NativeCache}) or lies on a {@link
 * io.kvasir.conformance.engine.FakeDevice} that the host cannot address.
 */
package io.kvasir.conformance.engine;
