/**
 * Blocks in a Mooncake cluster, through its C library. Start at {@link
 * io.kvasir.plugin.mooncake.MooncakeProvider}; {@link io.kvasir.plugin.mooncake.MooncakeStore} is
 * an open store, and {@link io.kvasir.plugin.mooncake.Session} and {@link
 * io.kvasir.plugin.mooncake.Calls} keep what would end the process, and what does not come back,
 * away from everybody else.
 */
package io.kvasir.plugin.mooncake;
