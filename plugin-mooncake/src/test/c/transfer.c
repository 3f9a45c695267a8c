/* What every call shares: the handle's guard, the way to the master, and to the bytes of segments. */
#define _GNU_SOURCE
#include "store.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct store *enter(const char *function, store_t pointer) {
  struct handle *handle = pointer;
  handle->calls++;
  if (handle->state != LIVE) misuse(function, "the handle was destroyed");
  control_add(CALLS, 1);
  control_add(IN_FLIGHT, 1);
  return handle->store;
}

void leave(store_t pointer) {
  struct handle *handle = pointer;
  control_add(IN_FLIGHT, -1);
  handle->calls--;
}

int reach(struct store *store) {
  enum process_state state;
  for (int64_t began = now_ns(); (state = master_state(&store->master)) != RUNNING; sleep_ms(2)) {
    int64_t waited = (now_ns() - began) / 1000000;
    /* the first call that finds the master dead has a connection to lose, later ones try to make one */
    if (state == DEAD && (!atomic_exchange(&store->master_missed, 1) || waited >= control(DOWN_DELAY_MS))) {
      return RPC_FAIL;
    }
    if (state == FROZEN && waited >= control(RPC_TIMEOUT_MS)) return RPC_TIMEOUT;
  }
  store->master_missed = 0;
  return master_lock(&store->master, control(RPC_TIMEOUT_MS));
}

struct place place_of(struct store *store, struct object *object, uint32_t replica) {
  struct segment *segment = &store->master.shared->segments[object->replica[replica].segment];
  return (struct place){object->replica[replica].segment, segment->generation, object->replica[replica].offset,
                        segment->owner};
}

static void mapping_release(struct store *store, struct mapping *mapping) {
  pthread_mutex_lock(&store->lock);
  mapping->users--;
  pthread_mutex_unlock(&store->lock);
}

static struct mapping *mapping_open(struct store *store, const struct place *place) {
  char path[600];
  segment_path(&store->master, place->slot, place->generation, path, sizeof path);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return NULL;
  struct mapping *mapping = calloc(1, sizeof *mapping);
  mapping->generation = place->generation;
  mapping->size = (uint64_t)lseek(fd, 0, SEEK_END);
  mapping->bytes = mmap(NULL, mapping->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  if (mapping->bytes == MAP_FAILED) {
    free(mapping);
    return NULL;
  }
  return mapping;
}

void mappings_close(struct store *store, bool all) {
  for (struct mapping **link = &store->mappings; *link != NULL;) {
    struct mapping *mapping = *link;
    bool mounted = false;
    for (uint32_t slot = 0; slot < MAX_SEGMENTS && !all; slot++) {
      mounted |= store->master.shared->segments[slot].generation == mapping->generation;
    }
    if (mounted || mapping->users > 0) {
      link = &mapping->next;
      continue;
    }
    *link = mapping->next;
    munmap(mapping->bytes, mapping->size);
    free(mapping);
  }
}

/* Waits while the owner is frozen. False: it is dead, its segment is gone, or the time is over. */
static bool owner_runs(struct store *store, const struct place *place, struct call *call) {
  enum process_state state;
  if (call->running == place->generation) return true;
  while ((state = process_state(place->owner)) == FROZEN && now_ns() < call->deadline) sleep_ms(2);
  if (state == RUNNING) call->running = place->generation;
  return state == RUNNING && store->master.shared->segments[place->slot].generation == place->generation;
}

static struct mapping *mapping_acquire(struct store *store, const struct place *place) {
  pthread_mutex_lock(&store->lock);
  struct mapping *mapping = store->mappings;
  while (mapping != NULL && mapping->generation != place->generation) mapping = mapping->next;
  if (mapping == NULL) {
    mappings_close(store, false);
    mapping = mapping_open(store, place);
    if (mapping != NULL) {
      mapping->next = store->mappings;
      store->mappings = mapping;
    }
  }
  if (mapping != NULL) mapping->users++;
  pthread_mutex_unlock(&store->lock);
  return mapping;
}

int transfer(struct store *store, const struct place *place, void *buffer, size_t size, bool write,
                    struct call *call) {
  struct mapping *mapping = owner_runs(store, place, call) ? mapping_acquire(store, place) : NULL;
  if (mapping == NULL) return TRANSFER_FAIL;
  if (write) {
    memcpy(mapping->bytes + place->offset, buffer, size);
  } else {
    memcpy(buffer, mapping->bytes + place->offset, size);
  }
  control_add(write ? PUT_BYTES : GET_BYTES, (int64_t)size);
  mapping_release(store, mapping);
  return 0;
}
