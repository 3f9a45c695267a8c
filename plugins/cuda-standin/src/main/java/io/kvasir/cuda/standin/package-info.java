/**
 * A stand-in for the CUDA driver, compiled when it is first used, and what an engine does on it.
 * Start at {@link io.kvasir.cuda.standin.StandIn#load}; test code, refused in production by its
 * device's name.
 */
package io.kvasir.cuda.standin;
