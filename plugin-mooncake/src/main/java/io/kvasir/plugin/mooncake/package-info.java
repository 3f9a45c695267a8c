/**
 * Blocks in a Mooncake cluster. This version has no binding of its library and says so when it is
 * opened: {@link io.kvasir.plugin.mooncake.MooncakeProvider}.
 */
package io.kvasir.plugin.mooncake;
