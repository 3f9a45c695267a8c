/* The index of objects, where their bytes lie in the segments, and which go when space is short. */
#define _GNU_SOURCE
#include "controls.h"
#include "master.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  die_here();
  uint64_t stored = o->replicas == 0 ? UINT64_MAX : key_store(shared, key, length);
  if (stored == UINT64_MAX) {
    for (; o->replicas > 0; o->replicas--) {
      segment_unlink(shared, slot * MAX_REPLICAS + o->replicas - 1);
    }
    uint64_t segments = 0;
    for (uint32_t i = 0; i < MAX_SEGMENTS; i++) segments += shared->segments[i].generation != 0;
    if (segments >= replicas) shared->evict_wanted = 1;
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
  o->put_started = o->lease_until = now;
  o->soft_until = config != NULL && config->with_soft_pin ? INT64_MAX : 0;
  o->hard = config != NULL && config->with_hard_pin;
  o->chain = *bucket(shared, hash);
  *bucket(shared, hash) = slot;
  die_here();
  o->state = WRITING;
  die_here();
  *made = o;
  return 0;
}

int object_end(struct master *master, struct object *o, uint64_t id) {
  if (o->state != WRITING || o->id != id) return OBJECT_NOT_FOUND;
  die_here();
  o->lease_until = now_ns();
  if (o->soft_until != 0) o->soft_until = o->lease_until + master->shared->settings[SOFT_PIN_MS] * 1000000;
  o->state = COMPLETE;
  return 0;
}

void object_delete(struct master *master, struct object *o) {
  struct shared *shared = master->shared;
  die_here();
  o->state = FREE; /* first: objects_rebuild skips it if this process dies here */
  uint32_t *link = bucket(shared, o->hash);
  while (*link != number(shared, o)) link = &object(shared, *link)->chain;
  *link = o->chain;
  die_here();
  for (uint32_t i = 0; i < o->replicas; i++) {
    segment_unlink(shared, number(shared, o) * MAX_REPLICAS + i);
  }
  die_here();
  key_free(shared, o);
  o->replicas = 0;
  o->chain = shared->free_object;
  shared->free_object = number(shared, o);
}

/* ---- all objects ---- */

void objects_clear(struct shared *shared) {
  for (uint32_t i = 1; i <= shared->objects_used; i++) object(shared, i)->state = FREE;
  memset(shared->buckets, 0, sizeof shared->buckets);
  memset(shared->free_keys, 0, sizeof shared->free_keys);
  shared->objects_used = shared->free_object = 0;
  shared->keys_used = shared->evicted = 0;
  shared->evict_wanted = 0;
}

static struct shared *sorting;

static int by_place(const void *left, const void *right) {
  struct replica *a = replica(sorting, *(const uint32_t *)left), *b = replica(sorting, *(const uint32_t *)right);
  if (a->segment != b->segment) return a->segment < b->segment ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void objects_rebuild(struct shared *shared) {
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

/* ---- eviction ---- */

void master_space(struct shared *shared, uint64_t *capacity, uint64_t *used) {
  *capacity = *used = 0;
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (shared->segments[slot].generation == 0) continue;
    *capacity += shared->segments[slot].size;
    *used += shared->segments[slot].used;
  }
}

bool master_wants_eviction(struct master *master) {
  uint64_t capacity, used;
  master_space(master->shared, &capacity, &used);
  return master->shared->evict_wanted || used > capacity / 100 * (uint64_t)master->shared->settings[EVICT_FROM];
}

struct candidate {
  bool soft;
  int64_t lease_until; /* of a key that nobody asked for: the end of its put */
  uint32_t object;
};

static int by_lease(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->soft != b->soft) return a->soft ? 1 : -1;
  return a->lease_until < b->lease_until ? -1 : a->lease_until > b->lease_until;
}

static uint64_t share_of(uint64_t count, double ratio) {
  uint64_t whole = (uint64_t)((double)count * ratio);
  return whole + ((double)whole < (double)count * ratio);
}

/* Shares are of the number of keys, whatever their size, and leased ones count. Soft pins go where the others that are
   free do not make up half of the share, or what is beyond the limit. */
void master_evict(struct master *master) {
  struct shared *shared = master->shared;
  if (!master_wants_eviction(master)) return;
  struct candidate *candidates = malloc(sizeof *candidates * ((size_t)shared->objects_used + 1));
  uint64_t count = 0, soft = 0, all = 0, evicted = 0;
  int64_t now = now_ns();
  for (uint32_t i = 1; i <= shared->objects_used; i++) {
    struct object *o = object(shared, i);
    if (o->state != COMPLETE || o->hard) continue;
    all++;
    if (object_leased(o, now)) continue;
    soft += o->soft_until > now;
    candidates[count++] = (struct candidate){o->soft_until > now, o->lease_until, i};
  }
  qsort(candidates, count, sizeof *candidates, by_lease);
  uint64_t capacity, used;
  master_space(shared, &capacity, &used);
  double step = (double)shared->settings[EVICT_STEP] / 100;
  double beyond = (double)used / (double)(capacity + !capacity) - (double)shared->settings[EVICT_FROM] / 100;
  double target = beyond > 0 ? beyond + step : step, least = beyond > target / 2 ? beyond : target / 2;
  while (evicted < count && evicted < share_of(all, evicted < count - soft ? target : least)) {
    object_delete(master, object(shared, candidates[evicted++].object));
  }
  shared->evicted += evicted;
  if (evicted > 0 || all == 0) shared->evict_wanted = 0;
  free(candidates);
}
