/* A handle, its way to the master, and to the bytes of segments. */
#ifndef KVASIR_STANDIN_STORE_H
#define KVASIR_STANDIN_STORE_H

#include "controls.h"
#include "master.h"

struct range {
  uintptr_t from;
  size_t size;
  struct range *next;
};

/* a segment's file in this process */
struct mapping {
  uint64_t generation;
  char *bytes;
  uint64_t size;
  int users;
  struct mapping *next;
};

struct store {
  bool set_up;
  struct master master;
  uint64_t buffer_size; /* staging area of put */
  char name[128];       /* hostname, which is the segment's name too */
  uint64_t segment_size;
  _Atomic uint32_t segment;
  _Atomic uint64_t segment_generation;
  _Atomic int master_missed;

  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t wake;
  struct range *ranges;
  struct mapping *mappings;
  bool closing;
  pthread_t keeper;
};

/* What a caller holds. It is never freed, so that a late call is noticed instead of reading freed memory. */
struct handle {
  _Atomic int state;
  _Atomic int calls;
  pid_t process; /* a forked child inherits handles, but owns none of them */
  struct store *store;
  struct handle *next;
};
enum { LIVE = 0x11fe, DESTROYED = 0xdead };

/* The beginning and the end of each call on a handle. */
struct store *enter(const char *function, store_t);
void leave(store_t);

/* Gets through to the master: 0 with its lock held, or the error after the time that it takes. */
int reach(struct store *);

/* where a replica lies */
struct place {
  uint32_t slot;
  uint64_t generation, offset;
  struct process owner;
};

/* what the transfers of one call share */
struct call {
  int64_t deadline;
  uint64_t running; /* generation of the segment whose owner was last seen running */
};

struct place place_of(struct store *, struct object *, uint32_t replica);
/* Copies into (write) or out of a segment; waits while its owner is frozen. 0, or TRANSFER_FAIL. */
int transfer(struct store *, const struct place *, void *buffer, size_t size, bool write, struct call *);
/* Unmaps segments that are gone, or all. */
void mappings_close(struct store *, bool all);

#endif
