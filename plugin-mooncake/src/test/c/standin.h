/*
 * Controls of the stand-in for Mooncake's C library, beyond the 19 functions that it shares with the real one.
 * README.md says what the stand-in promises; this header says how a test bends it.
 *
 * ENVIRONMENT, read when it is first needed
 *   MOONCAKE_STANDIN_DIR       folder of the masters' files (default /tmp/mooncake-standin); one file per master
 *                              address, one more per segment. All processes of a test share it.
 *   MOONCAKE_STANDIN_SEGMENT   bytes: a setup that finds no master at its address makes one, with a segment of this
 *                              size inside it, so that a test needs no other process. Unset: such a setup fails.
 *   MOONCAKE_STANDIN_<NAME>    start value of the setting <name> below, in capitals, such as MOONCAKE_STANDIN_LEASE_MS
 *   MC_RPC_TIMEOUT_MS, MC_STORE_CLIENT_SETUP_RETRIES   as the real library
 *
 * SETTINGS OF THIS PROCESS (standin_set; milliseconds unless said otherwise)
 *   down_delay_ms 4300     a call to a dead master blocks so long, from the second call on; a setup once per retry
 *   get_timeout_ms 30000   a get from a frozen owner blocks so long
 *   put_timeout_ms 60000   a put to a frozen owner blocks so long; of 4 MiB at most, which the sockets take without
 *                          it, only get_timeout_ms
 *   protocol_ms 22000      a setup with an unknown protocol blocks so long
 *   metadata_ms 2100       a setup with a metadata server that does not answer blocks so long
 *   call_delay_ms 0        added to each call
 *   transfer_ms 0          added to the data transfer of each put and get call, between its two calls to the master:
 *                          the time to kill a writer in, or to outlast a lease
 *   destroy_ms 0           time that destroy takes
 *   evict 1                whether handles set up from now on evict under pressure
 *   drop_after_exist 0     that many keys are dropped right after an exist call answered 1 for them
 *   die_at 0               the process is killed at that many steps from now within changes of the master's index, with the
 *                          lock held: what an untimely kill -9 does, on purpose
 *
 * SETTINGS OF A MASTER (standin_master_set; a new master takes those of the process that makes it)
 *   lease_ms 10000   discard_ms 30000   client_ttl_ms 10000   soft_pin_ms 1800000
 *   evict_from 90 (percent of the capacity)   evict_step 5 (percent of the keys)
 */
#ifndef KVASIR_STANDIN_H
#define KVASIR_STANDIN_H

#include <stddef.h>
#include <stdint.h>

#define STANDIN_EXPORT __attribute__((visibility("default")))

/* Sets a setting for this process (a master's: for masters that it makes from now on). Returns the old value, -1 if
   there is no such setting. */
STANDIN_EXPORT int64_t standin_set(const char *name, int64_t value);

/* Returns a setting or a counter of this process, -1 if there is none of that name. Counters: handles (live),
   in_flight (calls that are inside), calls, registered (ranges), registered_bytes, put_bytes, get_bytes. */
STANDIN_EXPORT int64_t standin_get(const char *name);

/* The next count matching calls of this process fail with code before they reach the master. function is a name without
   its prefix ("get_into"), or NULL for any; key_part NULL fails the whole call (each item of a batch), otherwise only
   keys that contain it, and each such key counts. Returns 0, or -1 when 16 rules are pending. */
STANDIN_EXPORT int standin_fail(const char *function, const char *key_part, int code, int count);

/* The next count calls of function take ms longer, before they do anything. NULL: any function. */
STANDIN_EXPORT int standin_delay(const char *function, int64_t ms, int count);

/* Copies the protocol and the device of this process's last setup, whatever came of it. */
STANDIN_EXPORT void standin_last_setup(char *protocol, size_t protocol_length, char *device, size_t device_length);

/* Forgets all pending standin_fail and standin_delay. */
STANDIN_EXPORT void standin_clear(void);

/* Starts the master at address ("host:port") without a process of its own, with segment_bytes of storage inside it (0:
   none); where one was, it is restarted: all objects are lost, storage clients mount again. Returns 0 or -1. */
STANDIN_EXPORT int standin_master_start(const char *address, uint64_t segment_bytes);

/* Takes the master down until standin_master_start. Returns 0, or -1 if there is none. */
STANDIN_EXPORT int standin_master_stop(const char *address);

/* Sets a setting of a running master, for all its clients. Returns the old value, or -1. */
STANDIN_EXPORT int64_t standin_master_set(const char *address, const char *name, int64_t value);

/* Returns a setting of a master or one of: keys (complete), leased, writing, segments, capacity, used (bytes),
   evicted (keys, since its start). -1 if there is no such master or name. */
STANDIN_EXPORT int64_t standin_master_get(const char *address, const char *name);

/* What the tests do to a stored value behind the library's back, lease or not. All return 0, or -704.
   flip changes one bit (numbered from 0) in every replica, shorten cuts the value, drop loses it. */
STANDIN_EXPORT int standin_flip(const char *address, const char *key, uint64_t bit);
STANDIN_EXPORT int standin_shorten(const char *address, const char *key, uint64_t size);
STANDIN_EXPORT int standin_drop(const char *address, const char *key);

/* Leaves a put of size bytes in flight, as a writer does that was killed: until discard_ms later the key is neither
   readable nor writable. Returns what the put's first step returned: 0, or -200. */
STANDIN_EXPORT int standin_leave_in_flight(const char *address, const char *key, uint64_t size);

#endif
