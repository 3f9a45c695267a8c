/* standin_master_* and what else the tests do to a master without a handle. */
#define _GNU_SOURCE
#include "master.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int master_setting(const char *name) {
  for (int i = 0; i < MASTER_SETTINGS; i++) {
    if (strcmp(name, master_setting_names[i]) == 0) return i;
  }
  return -1;
}

int standin_master_start(const char *address, uint64_t segment_bytes) {
  struct master master;
  if (!master_open(&master, address, 0)) return -1;
  int rc = master_lock(&master, 30000);
  if (rc == 0) {
    master_restart(&master, (struct process){0, 0}, segment_bytes);
    master_unlock(&master);
  }
  master_close(&master);
  return rc == 0 ? 0 : -1;
}

int standin_master_stop(const char *address) {
  struct master master;
  if (!master_open(&master, address, -1)) return -1;
  master.shared->down = 1;
  master_close(&master);
  return 0;
}

int64_t standin_master_set(const char *address, const char *name, int64_t value) {
  struct master master;
  int setting = master_setting(name);
  if (setting < 0 || !master_open(&master, address, -1)) return -1;
  int64_t old = atomic_exchange(&master.shared->settings[setting], value);
  master_close(&master);
  return old;
}

static int64_t count_objects(struct shared *shared, uint32_t state, bool leased) {
  int64_t count = 0, now = now_ns();
  for (uint32_t i = 1; i <= shared->objects_used; i++) {
    count += shared->objects[i].state == state && (!leased || object_leased(&shared->objects[i], now));
  }
  return count;
}

static int64_t counter(struct shared *shared, const char *name) {
  uint64_t capacity, used;
  master_space(shared, &capacity, &used);
  if (strcmp(name, "capacity") == 0) return (int64_t)capacity;
  if (strcmp(name, "used") == 0) return (int64_t)used;
  if (strcmp(name, "evicted") == 0) return (int64_t)shared->evicted;
  if (strcmp(name, "keys") == 0) return count_objects(shared, COMPLETE, false);
  if (strcmp(name, "leased") == 0) return count_objects(shared, COMPLETE, true);
  if (strcmp(name, "writing") == 0) return count_objects(shared, WRITING, false);
  if (strcmp(name, "segments") == 0) {
    int64_t count = 0;
    for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) count += shared->segments[slot].generation != 0;
    return count;
  }
  return -1;
}

int64_t standin_master_get(const char *address, const char *name) {
  struct master master;
  if (!master_open(&master, address, -1)) return -1;
  int setting = master_setting(name);
  int64_t value = -1;
  if (setting >= 0) {
    value = master.shared->settings[setting];
  } else if (master_lock(&master, 30000) == 0) {
    value = counter(master.shared, name);
    master_unlock(&master);
  }
  master_close(&master);
  return value;
}

/* Opens the master and finds the key with the lock held; NULL: nothing is open. */
static struct object *open_at(struct master *master, const char *address, const char *key) {
  if (!master_open(master, address, -1)) return NULL;
  if (master_lock(master, 30000) == 0) {
    struct object *o = object_find(master, key);
    if (o != NULL && o->state == COMPLETE) return o;
    master_unlock(master);
  }
  master_close(master);
  return NULL;
}

static int shut(struct master *master) {
  master_unlock(master);
  master_close(master);
  return 0;
}

int standin_flip(const char *address, const char *key, uint64_t bit) {
  struct master master;
  struct object *o = open_at(&master, address, key);
  if (o == NULL) return OBJECT_NOT_FOUND;
  for (uint32_t i = 0; i < o->replicas && bit / 8 < o->size; i++) {
    char path[600];
    unsigned char byte;
    off_t at = (off_t)(o->replica[i].offset + bit / 8);
    segment_path(&master, o->replica[i].segment, master.shared->segments[o->replica[i].segment].generation, path,
                 sizeof path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool flipped = fd >= 0 && pread(fd, &byte, 1, at) == 1;
    byte ^= (unsigned char)(1 << bit % 8);
    flipped = flipped && pwrite(fd, &byte, 1, at) == 1;
    if (fd >= 0) close(fd);
    if (!flipped) fprintf(stderr, "stand-in: no bit flipped in %s\n", path);
  }
  return shut(&master);
}

int standin_shorten(const char *address, const char *key, uint64_t size) {
  struct master master;
  struct object *o = open_at(&master, address, key);
  if (o == NULL) return OBJECT_NOT_FOUND;
  if (size < o->size) o->size = size;
  return shut(&master);
}

int standin_drop(const char *address, const char *key) {
  struct master master;
  struct object *o = open_at(&master, address, key);
  if (o == NULL) return OBJECT_NOT_FOUND;
  object_delete(&master, o);
  return shut(&master);
}

int standin_leave_in_flight(const char *address, const char *key, uint64_t size) {
  struct master master;
  struct object *made;
  if (!master_open(&master, address, -1)) return -1;
  int rc = master_lock(&master, 30000);
  if (rc == 0) {
    rc = object_start(&master, key, size, NULL, &made);
    master_unlock(&master);
  }
  master_close(&master);
  return rc;
}
