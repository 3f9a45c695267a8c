/**
 * The connector: what an engine's calls become. Start at {@link
 * io.kvasir.core.connector.Connector}.
 *
 * <p>A {@code Request} makes transfers ({@code LookupTransfer}, {@code LoadTransfer}, {@code
 * SaveTransfer}, all an {@code Operation}) of {@code Batch}es. A batch borrows frames from the
 * {@code FramePool}, runs on {@code Workers}, and reaches the store through {@code StoreCalls},
 * guarded by {@code Breaker} and {@code Clock}. Results leave by the {@code Mailbox}. An {@code
 * Epoch} is the time between two weight updates.
 */
package io.kvasir.core.connector;
