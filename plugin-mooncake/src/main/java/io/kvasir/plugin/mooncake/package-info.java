/** A store in a Mooncake cluster. */
package io.kvasir.plugin.mooncake;
