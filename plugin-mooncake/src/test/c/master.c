#define _GNU_SOURCE
#include "master.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const master_setting_names[MASTER_SETTINGS] = {"lease_ms",     "discard_ms", "client_ttl_ms",
                                                           "soft_pin_ms", "evict_from", "evict_step"};

static const size_t file_size = sizeof(struct shared) + KEY_AREA;

/* ---- time and processes ---- */

int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void sleep_ms(int64_t ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (ms > 0 && nanosleep(&t, &t) != 0 && errno == EINTR) {
  }
}

/* State letter and start time of a process; 0: there is none. */
static char process_look(pid_t pid, uint64_t *start) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (length <= 0) return 0;
  text[length] = 0;
  char *p = strrchr(text, ')'); /* the name before it may hold anything */
  if (p == NULL) return 0;
  char state = p[2];
  int field = 2;
  for (; *p != 0 && field < 22; p++) field += *p == ' ';
  *start = strtoull(p, NULL, 10);
  return state;
}

struct process this_process(void) {
  struct process process = {getpid(), 0};
  process_look(process.pid, &process.start);
  return process;
}

enum process_state process_state(struct process process) {
  if (process.pid == 0) return RUNNING;
  uint64_t start;
  char state = process_look(process.pid, &start);
  if (state == 0 || state == 'Z' || state == 'X' || start != process.start) return DEAD;
  return state == 'T' || state == 't' ? FROZEN : RUNNING;
}

/* ---- the file ---- */

static void file_path(const char *address, char *out, size_t length) {
  const char *folder = getenv("MOONCAKE_STANDIN_DIR");
  if (folder == NULL || *folder == 0) folder = "/tmp/mooncake-standin";
  mkdir(folder, 0700);
  if (strncmp(address, "localhost:", 10) == 0 || strncmp(address, "0.0.0.0:", 8) == 0) {
    snprintf(out, length, "%s/127.0.0.1%s", folder, strchr(address, ':'));
  } else {
    snprintf(out, length, "%s/%s", folder, address);
  }
  for (char *p = out + strlen(folder) + 1; *p != 0; p++) {
    if (*p == '/') *p = '_';
  }
}

static void file_fill(struct shared *shared) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  shared->next_id = 1;
  shared->random = (uint64_t)now_ns() | 1;
  for (int i = 0; i < MASTER_SETTINGS; i++) shared->settings[i] = standin_get(master_setting_names[i]);
  shared->layout = file_size;
}

bool master_open(struct master *master, const char *address, int64_t segment_bytes) {
  file_path(address, master->path, sizeof master->path);
  int fd = open(master->path, O_RDWR | O_CLOEXEC | (segment_bytes >= 0 ? O_CREAT : 0), 0600);
  if (fd < 0) return false;
  flock(fd, LOCK_EX); /* two processes may make it at once */
  struct stat status;
  bool fresh = fstat(fd, &status) == 0 && status.st_size == 0;
  bool usable = (fresh || status.st_size == (off_t)file_size) && (!fresh || ftruncate(fd, (off_t)file_size) == 0);
  master->shared =
      usable ? mmap(NULL, file_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0) : MAP_FAILED;
  if (master->shared == MAP_FAILED) {
    fprintf(stderr, "stand-in: %s cannot be mapped or is of another build; delete it\n", master->path);
    close(fd);
    return false;
  }
  if (master->shared->layout == 0) {
    file_fill(master->shared);
    if (master_lock(master, 1000) == 0) {
      master_restart(master, (struct process){0, 0}, segment_bytes > 0 ? (uint64_t)segment_bytes : 0);
      master_unlock(master);
    }
  }
  flock(fd, LOCK_UN); /* close would not do: the mapping keeps the file open */
  close(fd);
  return true;
}

void master_close(struct master *master) {
  munmap(master->shared, file_size);
  master->shared = NULL;
}

enum process_state master_state(struct master *master) {
  return master->shared->down ? DEAD : process_state(master->shared->process);
}

/* ---- objects: slots and keys ---- */

static struct object *object(struct shared *shared, uint32_t number) { return &shared->objects[number]; }

static uint32_t number(struct shared *shared, struct object *object) { return (uint32_t)(object - shared->objects); }

static struct replica *replica(struct shared *shared, uint32_t reference) {
  return &shared->objects[reference / MAX_REPLICAS].replica[reference % MAX_REPLICAS];
}

static uint64_t reference_space(struct shared *shared, uint32_t reference) {
  return shared->objects[reference / MAX_REPLICAS].space;
}

static uint64_t key_hash(const char *key, uint64_t *length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  const char *p = key;
  for (; *p != 0; p++) hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
  *length = (uint64_t)(p - key);
  return hash ^ hash >> 29;
}

static int key_class(uint64_t length) {
  int class = 6;
  while ((UINT64_C(1) << class) < length + 1) class++;
  return class;
}

/* Offset of a place for the key, or UINT64_MAX. */
static uint64_t key_store(struct shared *shared, const char *key, uint64_t length) {
  int class = key_class(length);
  uint64_t offset;
  if (shared->free_keys[class] != 0) {
    offset = shared->free_keys[class] - 1;
    memcpy(&shared->free_keys[class], shared->keys + offset, sizeof(uint64_t));
  } else if ((UINT64_C(1) << class) <= KEY_AREA - shared->keys_used) {
    offset = shared->keys_used;
    shared->keys_used += UINT64_C(1) << class;
  } else {
    return UINT64_MAX;
  }
  memcpy(shared->keys + offset, key, length + 1);
  return offset;
}

static void key_free(struct shared *shared, struct object *object) {
  int class = key_class(object->key_length);
  memcpy(shared->keys + object->key, &shared->free_keys[class], sizeof(uint64_t));
  shared->free_keys[class] = object->key + 1;
}

const char *object_key(struct master *master, struct object *object) { return master->shared->keys + object->key; }

static uint32_t *bucket(struct shared *shared, uint64_t hash) { return &shared->buckets[hash % BUCKETS]; }

struct object *object_find(struct master *master, const char *key) {
  struct shared *shared = master->shared;
  uint64_t length, hash = key_hash(key, &length);
  for (uint32_t i = *bucket(shared, hash); i != 0; i = object(shared, i)->chain) {
    struct object *o = object(shared, i);
    if (o->hash == hash && o->key_length == length && memcmp(shared->keys + o->key, key, length) == 0) return o;
  }
  return NULL;
}

bool object_leased(struct object *object, int64_t now) { return object->lease_until > now; }

/* ---- segments: a segment's replicas are a list by offset; a new one goes into the next gap that fits ---- */

/* After which replica (0: before the first) there is a gap for size bytes; false: nowhere. */
static bool segment_gap(struct shared *shared, struct segment *segment, uint64_t size, uint32_t *after) {
  uint32_t at = segment->cursor;
  for (uint32_t step = 0; step <= segment->count && size <= segment->size - segment->used; step++) {
    uint64_t from = at == 0 ? 0 : replica(shared, at)->offset + reference_space(shared, at);
    uint32_t next = at == 0 ? segment->first : replica(shared, at)->next;
    uint64_t to = next == 0 ? segment->size : replica(shared, next)->offset;
    if (to - from >= size) {
      *after = at;
      return true;
    }
    at = next;
  }
  return false;
}

static void segment_link(struct shared *shared, struct segment *segment, uint32_t reference, uint32_t after) {
  struct replica *r = replica(shared, reference);
  r->previous = after;
  r->next = after == 0 ? segment->first : replica(shared, after)->next;
  if (r->next != 0) replica(shared, r->next)->previous = reference;
  if (after == 0) {
    segment->first = reference;
  } else {
    replica(shared, after)->next = reference;
  }
  segment->cursor = reference;
  segment->count++;
  segment->used += reference_space(shared, reference);
}

static void segment_unlink(struct shared *shared, uint32_t reference) {
  struct replica *r = replica(shared, reference);
  struct segment *segment = &shared->segments[r->segment];
  if (r->next != 0) replica(shared, r->next)->previous = r->previous;
  if (r->previous != 0) {
    replica(shared, r->previous)->next = r->next;
  } else {
    segment->first = r->next;
  }
  if (segment->cursor == reference) segment->cursor = r->previous;
  segment->count--;
  segment->used -= reference_space(shared, reference);
}

void segment_path(struct master *master, uint32_t slot, uint64_t generation, char *out, size_t length) {
  snprintf(out, length, "%s.segment%u.%llu", master->path, slot, (unsigned long long)generation);
}

uint32_t segment_mount(struct master *master, const char *name, uint64_t size, struct process owner) {
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    struct segment *segment = &master->shared->segments[slot];
    if (segment->generation != 0) continue;
    char path[600];
    uint64_t generation = master->shared->next_id++;
    segment_path(master, slot, generation, path, sizeof path);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool made = fd >= 0 && ftruncate(fd, (off_t)size) == 0;
    if (fd >= 0) close(fd);
    if (!made) return NO_SEGMENT;
    snprintf(segment->name, sizeof segment->name, "%s", name);
    segment->owner = owner;
    segment->size = size;
    segment->used = segment->count = segment->first = segment->cursor = 0;
    segment->seen = now_ns();
    segment->generation = generation;
    return slot;
  }
  return NO_SEGMENT;
}

void segment_unmount(struct master *master, uint32_t slot) {
  struct shared *shared = master->shared;
  struct segment *segment = &shared->segments[slot];
  char path[600];
  segment_path(master, slot, segment->generation, path, sizeof path);
  while (segment->first != 0) {
    uint32_t reference = segment->first;
    struct object *o = object(shared, reference / MAX_REPLICAS);
    if (o->replicas == 1) {
      object_delete(master, o);
      continue;
    }
    /* the last replica takes the place of the lost one */
    uint32_t lost = reference % MAX_REPLICAS, last = o->replicas - 1;
    uint32_t moved = number(shared, o) * MAX_REPLICAS + last;
    segment_unlink(shared, reference);
    if (lost != last) {
      struct replica *r = replica(shared, moved);
      uint32_t after = r->previous, to = r->segment;
      uint64_t offset = r->offset;
      segment_unlink(shared, moved);
      o->replica[lost].segment = to;
      o->replica[lost].offset = offset;
      segment_link(shared, &shared->segments[to], reference, after);
    }
    o->replicas = last;
  }
  segment->generation = 0;
  unlink(path);
}

/* ---- puts and removal ---- */

static uint64_t next_random(struct shared *shared) {
  shared->random ^= shared->random << 13;
  shared->random ^= shared->random >> 7;
  return shared->random ^= shared->random << 17;
}

static bool has_replica_in(struct object *object, uint32_t slot) {
  for (uint32_t i = 0; i < object->replicas; i++) {
    if (object->replica[i].segment == slot) return true;
  }
  return false;
}

static bool place_in(struct shared *shared, struct object *o, uint32_t slot) {
  struct segment *segment = &shared->segments[slot];
  uint32_t after;
  if (segment->generation == 0 || has_replica_in(o, slot) || !segment_gap(shared, segment, o->space, &after)) {
    return false;
  }
  struct replica *r = &o->replica[o->replicas];
  r->segment = slot;
  r->offset = after == 0 ? 0 : replica(shared, after)->offset + reference_space(shared, after);
  segment_link(shared, segment, number(shared, o) * MAX_REPLICAS + o->replicas, after);
  o->replicas++;
  return true;
}

/* One more replica: in a preferred segment if one has room, otherwise in any, beginning with a random one. */
static bool place(struct shared *shared, struct object *o, const struct replicate_config *config) {
  for (size_t i = 0; config != NULL && config->preferred_segments != NULL && i < config->preferred_segments_count;
       i++) {
    for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
      const char *wanted = config->preferred_segments[i];
      if (wanted != NULL && strcmp(shared->segments[slot].name, wanted) == 0 && place_in(shared, o, slot)) return true;
    }
  }
  uint32_t mounted[MAX_SEGMENTS], count = 0;
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (shared->segments[slot].generation != 0) mounted[count++] = slot;
  }
  uint64_t random = next_random(shared);
  for (uint32_t i = 0; i < count; i++) {
    if (place_in(shared, o, mounted[(random + i) % count])) return true;
  }
  return false;
}

int object_start(struct master *master, const char *key, uint64_t size, const struct replicate_config *config,
                 struct object **made) {
  struct shared *shared = master->shared;
  int64_t now = now_ns();
  *made = NULL;
  struct object *o = object_find(master, key);
  if (o != NULL) {
    bool abandoned = o->state == WRITING && now - o->put_started > shared->settings[DISCARD_MS] * 1000000;
    if (!abandoned) return 0;
    object_delete(master, o);
  }
  uint32_t slot = shared->free_object != 0 ? shared->free_object : shared->objects_used + 1;
  if (slot > MAX_OBJECTS) return NO_AVAILABLE_HANDLE;
  o = object(shared, slot);
  uint32_t next_free = shared->free_object != 0 ? o->chain : 0;
  uint64_t length, hash = key_hash(key, &length);
  o->size = o->space = size;
  o->replicas = 0;
  uint64_t replicas = config == NULL ? 1 : config->replica_num < MAX_REPLICAS ? config->replica_num : MAX_REPLICAS;
  while (o->replicas < replicas && place(shared, o, config)) { /* fewer than asked for is fine, none is not */
  }
  uint64_t stored = o->replicas == 0 ? UINT64_MAX : key_store(shared, key, length);
  if (stored == UINT64_MAX) {
    for (; o->replicas > 0; o->replicas--) {
      segment_unlink(shared, slot * MAX_REPLICAS + o->replicas - 1);
    }
    shared->evict_wanted = 1;
    return NO_AVAILABLE_HANDLE;
  }
  if (shared->free_object != 0) {
    shared->free_object = next_free;
  } else {
    shared->objects_used++;
  }
  o->id = shared->next_id++;
  o->hash = hash;
  o->key = stored;
  o->key_length = length;
  o->put_started = o->used_at = now;
  o->lease_until = 0;
  o->soft_until = config != NULL && config->with_soft_pin ? INT64_MAX : 0;
  o->hard = config != NULL && config->with_hard_pin;
  o->chain = *bucket(shared, hash);
  *bucket(shared, hash) = slot;
  o->state = WRITING;
  *made = o;
  return 0;
}

int object_end(struct master *master, struct object *o, uint64_t id) {
  if (o->state != WRITING || o->id != id) return OBJECT_NOT_FOUND;
  o->used_at = now_ns();
  if (o->soft_until != 0) o->soft_until = o->used_at + master->shared->settings[SOFT_PIN_MS] * 1000000;
  o->state = COMPLETE;
  return 0;
}

void object_delete(struct master *master, struct object *o) {
  struct shared *shared = master->shared;
  o->state = FREE; /* first: master_rebuild skips it if this process dies here */
  uint32_t *link = bucket(shared, o->hash);
  while (*link != number(shared, o)) link = &object(shared, *link)->chain;
  *link = o->chain;
  for (uint32_t i = 0; i < o->replicas; i++) {
    segment_unlink(shared, number(shared, o) * MAX_REPLICAS + i);
  }
  key_free(shared, o);
  o->replicas = 0;
  o->chain = shared->free_object;
  shared->free_object = number(shared, o);
}

/* ---- restart, repair, eviction ---- */

void master_restart(struct master *master, struct process process, uint64_t segment_bytes) {
  struct shared *shared = master->shared;
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (shared->segments[slot].generation != 0) segment_unmount(master, slot);
  }
  for (uint32_t i = 1; i <= shared->objects_used; i++) object(shared, i)->state = FREE;
  memset(shared->buckets, 0, sizeof shared->buckets);
  memset(shared->free_keys, 0, sizeof shared->free_keys);
  shared->objects_used = shared->free_object = 0;
  shared->keys_used = shared->evicted = 0;
  shared->evict_wanted = 0;
  if (segment_bytes > 0) segment_mount(master, "file", segment_bytes, (struct process){0, 0});
  shared->process = process;
  shared->epoch++;
  shared->down = 0;
}

static struct shared *sorting;

static int by_place(const void *left, const void *right) {
  struct replica *a = replica(sorting, *(const uint32_t *)left), *b = replica(sorting, *(const uint32_t *)right);
  if (a->segment != b->segment) return a->segment < b->segment ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* A process died while it held the lock: builds buckets, free list and segment lists from the objects alone. */
static void master_rebuild(struct shared *shared) {
  uint32_t *references = malloc(sizeof(uint32_t) * MAX_REPLICAS * ((size_t)shared->objects_used + 2));
  uint32_t count = 0, used = shared->objects_used < MAX_OBJECTS ? shared->objects_used + 1 : MAX_OBJECTS;
  memset(shared->buckets, 0, sizeof shared->buckets);
  memset(shared->free_keys, 0, sizeof shared->free_keys); /* their space is lost until the next restart */
  shared->free_object = 0;
  shared->objects_used = used;
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    struct segment *segment = &shared->segments[slot];
    segment->count = segment->first = segment->cursor = 0;
    segment->used = 0;
  }
  for (uint32_t i = used; i > 0; i--) {
    struct object *o = object(shared, i);
    uint32_t *list = o->state == FREE ? &shared->free_object : bucket(shared, o->hash);
    o->chain = *list;
    *list = i;
    for (uint32_t r = 0; o->state != FREE && r < o->replicas; r++) references[count++] = i * MAX_REPLICAS + r;
  }
  sorting = shared;
  qsort(references, count, sizeof *references, by_place);
  for (uint32_t i = 0; i < count; i++) {
    struct segment *segment = &shared->segments[replica(shared, references[i])->segment];
    segment_link(shared, segment, references[i], segment->cursor);
  }
  free(references);
}

/* Silence alone is not enough: a whole test that was stopped and goes on has lost no owner. */
static bool is_lost(struct shared *shared, uint32_t slot) {
  struct segment *segment = &shared->segments[slot];
  return segment->generation != 0 && segment->owner.pid != 0 &&
         segment->seen < now_ns() - shared->settings[CLIENT_TTL_MS] * 1000000 &&
         process_state(segment->owner) != RUNNING;
}

bool master_wants_reaping(struct master *master) {
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (is_lost(master->shared, slot)) return true;
  }
  return false;
}

int master_lock(struct master *master, int64_t timeout_ms) {
  struct shared *shared = master->shared;
  int64_t until = now_ns() + timeout_ms * 1000000;
  struct timespec deadline = {until / 1000000000, until % 1000000000};
  int rc = pthread_mutex_clocklock(&shared->lock, CLOCK_MONOTONIC, &deadline);
  if (rc == EOWNERDEAD) {
    master_rebuild(shared);
    pthread_mutex_consistent(&shared->lock);
  } else if (rc != 0) {
    return RPC_TIMEOUT;
  }
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (is_lost(shared, slot)) segment_unmount(master, slot);
  }
  return 0;
}

void master_unlock(struct master *master) { pthread_mutex_unlock(&master->shared->lock); }

static void space(struct shared *shared, uint64_t *capacity, uint64_t *used) {
  *capacity = *used = 0;
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (shared->segments[slot].generation == 0) continue;
    *capacity += shared->segments[slot].size;
    *used += shared->segments[slot].used;
  }
}

bool master_wants_eviction(struct master *master) {
  uint64_t capacity, used;
  space(master->shared, &capacity, &used);
  return master->shared->evict_wanted ||
         (used > 0 && used >= capacity / 100 * (uint64_t)master->shared->settings[EVICT_FROM]);
}

struct candidate {
  int64_t soft, used_at;
  uint32_t object;
};

static int by_use(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->soft != b->soft) return a->soft < b->soft ? -1 : 1;
  return a->used_at < b->used_at ? -1 : a->used_at > b->used_at;
}

void master_evict(struct master *master) {
  struct shared *shared = master->shared;
  if (!master_wants_eviction(master)) return;
  shared->evict_wanted = 0;
  struct candidate *candidates = malloc(sizeof *candidates * ((size_t)shared->objects_used + 1));
  size_t count = 0;
  int64_t now = now_ns();
  for (uint32_t i = 1; i <= shared->objects_used; i++) {
    struct object *o = object(shared, i);
    if (o->state == COMPLETE && !o->hard && !object_leased(o, now)) {
      candidates[count++] = (struct candidate){o->soft_until > now, o->used_at, i};
    }
  }
  qsort(candidates, count, sizeof *candidates, by_use);
  uint64_t capacity, used;
  space(shared, &capacity, &used);
  uint64_t freed = 0, wanted = capacity / 100 * (uint64_t)shared->settings[EVICT_STEP];
  for (size_t i = 0; i < count && freed < wanted; i++) {
    struct object *o = object(shared, candidates[i].object);
    freed += o->space * o->replicas;
    object_delete(master, o);
    shared->evicted++;
  }
  free(candidates);
}

/* ---- standin_master_* ---- */

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
  space(shared, &capacity, &used);
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
