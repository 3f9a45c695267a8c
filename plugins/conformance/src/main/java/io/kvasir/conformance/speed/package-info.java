/**
 * How fast a store is, as a ratio to what moving the same bytes costs without it. {@link
 * io.kvasir.conformance.speed.StoreSpeed} measures any store; its rounds lie between rounds of a
 * {@link io.kvasir.conformance.speed.Yardstick}, see {@link
 * io.kvasir.conformance.speed.Interleaved}.
 */
package io.kvasir.conformance.speed;
