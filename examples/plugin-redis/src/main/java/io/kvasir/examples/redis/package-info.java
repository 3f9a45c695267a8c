/**
 * A backend on Redis: a key per block. {@link io.kvasir.examples.redis.RedisProvider} is where to
 * start.
 */
package io.kvasir.examples.redis;
