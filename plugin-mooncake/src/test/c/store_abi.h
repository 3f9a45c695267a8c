/*
 * The 19 functions of Mooncake Store's C ABI as Kvasir uses them: types and order of arguments as published,
 * written down from Kvasir's notes on the ABI.
 */
#ifndef KVASIR_STORE_ABI_H
#define KVASIR_STORE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* 32 bytes: offsets 0, 8, 12, 16, 24 */
struct replicate_config {
  size_t replica_num;
  int with_soft_pin;
  int with_hard_pin;
  const char **preferred_segments;
  size_t preferred_segments_count;
};

typedef void *store_t;

#define STORE_ABI(function)                                                                                            \
  function(store_t, create, (void))                                                                                    \
  function(void, destroy, (store_t))                                                                                   \
  function(int, setup,                                                                                                 \
           (store_t, const char *local_hostname, const char *metadata_server, uint64_t global_segment_size,            \
            uint64_t local_buffer_size, const char *protocol, const char *device_name,                                 \
            const char *master_server_addr))                                                                           \
  function(int, init_all, (store_t, const char *protocol, const char *device_name, uint64_t mount_segment_size))       \
  function(int, health_check, (store_t))                                                                               \
  function(int, put, (store_t, const char *key, const void *buffer, size_t, const struct replicate_config *))          \
  function(int, put_from, (store_t, const char *key, void *buffer, size_t, const struct replicate_config *))           \
  function(int, batch_put_from,                                                                                        \
           (store_t, const char **keys, void **buffers, const size_t *sizes, size_t count,                             \
            const struct replicate_config *, int *results))                                                            \
  function(int64_t, get_into, (store_t, const char *key, void *buffer, size_t))                                        \
  function(int, batch_get_into,                                                                                        \
           (store_t, const char **keys, void **buffers, const size_t *sizes, size_t count, int64_t *results))          \
  function(int, is_exist, (store_t, const char *key))                                                                  \
  function(int, batch_is_exist, (store_t, const char **keys, size_t count, int *results))                              \
  function(int64_t, get_size, (store_t, const char *key))                                                              \
  function(int, get_hostname, (store_t, char *out, size_t length))                                                     \
  function(int, remove, (store_t, const char *key, int force))                                                         \
  function(int64_t, remove_by_regex, (store_t, const char *pattern, int force))                                        \
  function(int64_t, remove_all, (store_t, int force))                                                                  \
  function(int, register_buffer, (store_t, void *buffer, size_t))                                                      \
  function(int, unregister_buffer, (store_t, void *buffer))

#define DECLARE(type, name, arguments) type mooncake_store_##name arguments;
#pragma GCC visibility push(default)
STORE_ABI(DECLARE)
#pragma GCC visibility pop

enum {
  INTERNAL_ERROR = -1,
  NO_AVAILABLE_HANDLE = -200,
  INVALID_PARAMS = -600,
  REPLICA_IS_NOT_READY = -703,
  OBJECT_NOT_FOUND = -704,
  OBJECT_HAS_LEASE = -706,
  LEASE_EXPIRED = -707,
  TRANSFER_FAIL = -800,
  RPC_FAIL = -900,
  RPC_TIMEOUT = -901,
  NOT_SUPPORTED = -1012
};

#endif
