/*
 * The stand-in's master: a file that every process of a test maps. It holds the index of objects, the segments and the
 * leases, under one robust process-shared mutex; the bytes of a segment lie in a file of their own beside it, so that
 * they can be read while their owner is dead or frozen, which is decided by looking at the owner's process.
 *
 * Functions that take a struct master * want its lock held, unless they say otherwise. Times are CLOCK_MONOTONIC, in
 * nanoseconds. Object numbers start at 1; 0 is "none".
 */
#ifndef KVASIR_STANDIN_MASTER_H
#define KVASIR_STANDIN_MASTER_H

#include "process.h"
#include "standin.h"
#include "store_abi.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MAX_SEGMENTS = 64, MAX_REPLICAS = 4, MAX_OBJECTS = 1 << 18, BUCKETS = 1 << 17, KEY_CLASSES = 32 };
#define KEY_AREA (UINT64_C(512) << 20)
#define NO_SEGMENT UINT32_MAX

/* settings that belong to a master; master.c names them */
enum { LEASE_MS, DISCARD_MS, CLIENT_TTL_MS, SOFT_PIN_MS, EVICT_FROM, EVICT_STEP, MASTER_SETTINGS };
extern const char *const master_setting_names[MASTER_SETTINGS];

enum { FREE, WRITING, COMPLETE };

struct replica {
  uint32_t segment;
  uint32_t previous, next; /* neighbours in the segment by offset: object * MAX_REPLICAS + replica */
  uint64_t offset;
};

struct object {
  _Atomic uint32_t state; /* written last: an object that is not FREE is whole, see objects_rebuild */
  uint32_t chain;         /* next object of the bucket, or of the list of free ones */
  uint64_t id;            /* of the put that made it */
  uint64_t hash, key, key_length, size, space;
  int64_t put_started, lease_until, soft_until;
  uint32_t hard, replicas;
  struct replica replica[MAX_REPLICAS];
};

struct segment {
  _Atomic uint64_t generation; /* 0: not mounted */
  _Atomic int64_t seen;        /* last sign of life of the owner, written without the lock */
  struct process owner;
  char name[128];
  uint64_t size;
  _Atomic uint64_t used; /* master_space reads it without the lock */
  uint32_t count, first, cursor;
};

struct shared {
  uint64_t layout;
  pthread_mutex_t lock;
  _Atomic int down;
  struct process process; /* of standin_master, if one runs */
  _Atomic int64_t settings[MASTER_SETTINGS];
  _Atomic int evict_wanted;
  _Atomic uint32_t next_port;
  uint64_t next_id, evicted, random;
  uint32_t objects_used, free_object;
  uint64_t keys_used, free_keys[KEY_CLASSES];
  struct segment segments[MAX_SEGMENTS];
  uint32_t buckets[BUCKETS];
  struct object objects[MAX_OBJECTS + 1];
  char keys[];
};

struct master {
  struct shared *shared;
  char path[512];
};

/* Maps the master at address, making it first if segment_bytes >= 0. False: there is none. Takes no lock. */
bool master_open(struct master *, const char *address, int64_t segment_bytes);
void master_close(struct master *);

/* RUNNING, or FROZEN (its process is stopped), or DEAD (switched off, or its process ended). Takes no lock. */
enum process_state master_state(struct master *);

/* Takes the lock, repairs after a process that died holding it, and drops the segments of owners that are dead or frozen
   and were silent for client_ttl_ms. 0, or RPC_TIMEOUT. */
int master_lock(struct master *, int64_t timeout_ms);
void master_unlock(struct master *);

/* Loses all objects and segments, and makes the segment in the file anew (0: none). process: of the master. */
void master_restart(struct master *, struct process process, uint64_t segment_bytes);

/* Mounts a segment and makes its file. Returns its slot, or NO_SEGMENT. */
uint32_t segment_mount(struct master *, const char *name, uint64_t size, struct process owner);
void segment_unmount(struct master *, uint32_t slot);
void segment_path(struct master *, uint32_t slot, uint64_t generation, char *out, size_t length);

/* The object of a key, in any state; NULL: none. */
struct object *object_find(struct master *, const char *key);
void object_delete(struct master *, struct object *);
bool object_leased(struct object *, int64_t now);
const char *object_key(struct master *, struct object *);

/* A put's first step. 0 and *made: go on; 0 and no *made: the key is there or being written; or NO_AVAILABLE_HANDLE. */
int object_start(struct master *, const char *key, uint64_t size, const struct replicate_config *,
                 struct object **made);
/* A put's last step. 0, or OBJECT_NOT_FOUND if the object with this id is gone. */
int object_end(struct master *, struct object *, uint64_t id);

/* Whether there is a segment to drop, see master_lock. Takes no lock. */
bool master_wants_reaping(struct master *);

/* Forgets all objects. */
void objects_clear(struct shared *);
/* A process died while it held the lock: builds buckets, free list and segment lists from the objects alone. */
void objects_rebuild(struct shared *);

/* Frees space when it is short: keys without lease or hard pin, least recently used first, soft pins last. */
void master_evict(struct master *);
bool master_wants_eviction(struct master *); /* takes no lock */
void master_space(struct shared *, uint64_t *capacity, uint64_t *used); /* in bytes; takes no lock */

#endif
