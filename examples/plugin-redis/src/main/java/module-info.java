/** A backend on Redis. */
module io.kvasir.examples.redis {
  requires io.kvasir.api;
  requires redis.clients.jedis;

  provides io.kvasir.api.store.StoreProvider with
      io.kvasir.examples.redis.RedisProvider;
}
