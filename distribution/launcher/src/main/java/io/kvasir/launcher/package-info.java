/**
 * The entry of {@code bin/kvasir}: finds the core's jars and starts them in a layer of their own.
 */
package io.kvasir.launcher;
