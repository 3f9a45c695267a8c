/** A store in memory that fails on demand. */
package io.kvasir.plugin.memory;
