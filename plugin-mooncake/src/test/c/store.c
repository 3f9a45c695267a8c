#define _GNU_SOURCE
#include "controls.h"
#include "master.h"
#include <ctype.h>
#include <fcntl.h>
#include <locale.h>
#include <netdb.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define SMALLEST_SEGMENT (UINT64_C(16) << 20)
#define LARGEST_SEGMENT (UINT64_C(512) << 30)

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

static struct handle *live_handles;
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- calls ---- */

static struct store *enter(const char *function, store_t pointer) {
  struct handle *handle = pointer;
  handle->calls++;
  if (handle->state != LIVE) misuse(function, "the handle was destroyed");
  control_add(CALLS, 1);
  control_add(IN_FLIGHT, 1);
  return handle->store;
}

static void leave(store_t pointer) {
  struct handle *handle = pointer;
  control_add(IN_FLIGHT, -1);
  handle->calls--;
}

/* Gets through to the master: 0 with its lock held, or the error after the time that it takes. */
static int reach(struct store *store) {
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

/* ---- the bytes of a segment ---- */

struct place {
  uint32_t slot;
  uint64_t generation, offset;
  struct process owner;
};

static struct place place_of(struct store *store, struct object *object, uint32_t replica) {
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

static void mappings_close(struct store *store, bool all) {
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

/* what the transfers of one call share */
struct call {
  int64_t deadline;
  uint64_t running; /* generation of the segment whose owner was last seen running */
};

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

static int transfer(struct store *store, const struct place *place, void *buffer, size_t size, bool write,
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

/* ---- life ---- */

static void mount_own(struct store *store) {
  uint32_t slot = segment_mount(&store->master, store->name, store->segment_size, this_process());
  store->segment = slot;
  store->segment_generation = slot == NO_SEGMENT ? 0 : (uint64_t)store->master.shared->segments[slot].generation;
}

static bool is_mounted(struct store *store) {
  return store->segment != NO_SEGMENT &&
         store->master.shared->segments[store->segment].generation == store->segment_generation;
}

/* Gives signs of life, mounts the segment again after a restart of the master, drops lost segments, evicts. */
static void *keep(void *argument) {
  struct store *store = argument;
  struct master *master = &store->master;
  bool evicts = control(EVICT) != 0;
  pthread_mutex_lock(&store->lock);
  for (int64_t tick = 1; !store->closing; tick++) {
    int64_t until = now_ns() + 10 * 1000000;
    struct timespec deadline = {until / 1000000000, until % 1000000000};
    pthread_cond_clockwait(&store->wake, &store->lock, CLOCK_MONOTONIC, &deadline);
    if (store->closing) break;
    pthread_mutex_unlock(&store->lock);
    bool own = store->segment_size > 0, mounted = own && is_mounted(store);
    if (mounted) master->shared->segments[store->segment].seen = now_ns();
    bool remount = own && !mounted && tick % 100 == 0 && master_state(master) == RUNNING;
    bool work = evicts && (master_wants_eviction(master) || (tick % 10 == 0 && master_wants_reaping(master)));
    if ((remount || work) && master_lock(master, 1000) == 0) {
      if (remount) mount_own(store);
      if (work) master_evict(master);
      master_unlock(master);
    }
    pthread_mutex_lock(&store->lock);
  }
  pthread_mutex_unlock(&store->lock);
  return NULL;
}

static void tear_down(struct store *store) {
  if (!store->set_up) return;
  pthread_mutex_lock(&store->lock);
  store->closing = true;
  pthread_cond_signal(&store->wake);
  pthread_mutex_unlock(&store->lock);
  pthread_join(store->keeper, NULL);
  store->closing = false;
  if (store->segment_size > 0 && master_lock(&store->master, 1000) == 0) {
    if (is_mounted(store)) segment_unmount(&store->master, store->segment);
    master_unlock(&store->master);
  }
  mappings_close(store, true);
  master_close(&store->master);
  store->set_up = false;
}

/* As the real library's first create() does, in the calling thread and for good. */
static void block_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

store_t mooncake_store_create(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, block_signals);
  struct handle *handle = calloc(1, sizeof *handle);
  struct store *store = calloc(1, sizeof *store);
  pthread_mutex_init(&store->lock, NULL);
  pthread_cond_init(&store->wake, NULL);
  handle->store = store;
  handle->process = getpid();
  handle->state = LIVE;
  pthread_mutex_lock(&live_lock);
  handle->next = live_handles;
  live_handles = handle;
  pthread_mutex_unlock(&live_lock);
  control_add(HANDLES, 1);
  return handle;
}

void mooncake_store_destroy(store_t pointer) {
  struct handle *handle = pointer;
  if (handle == NULL) return;
  if (atomic_exchange(&handle->state, DESTROYED) != LIVE) misuse("destroy", "the handle was destroyed before");
  if (handle->calls > 0) misuse("destroy", "a call is running on the handle");
  control_add(CALLS, 1);
  sleep_ms(control(DESTROY_MS));
  pthread_mutex_lock(&live_lock);
  struct handle **link = &live_handles;
  while (*link != handle) link = &(*link)->next;
  *link = handle->next;
  pthread_mutex_unlock(&live_lock);
  struct store *store = handle->store;
  tear_down(store);
  while (store->ranges != NULL) {
    struct range *range = store->ranges;
    store->ranges = range->next;
    control_add(REGISTERED, -1);
    control_add(REGISTERED_BYTES, -(int64_t)range->size);
    free(range);
  }
  pthread_mutex_destroy(&store->lock);
  pthread_cond_destroy(&store->wake);
  handle->store = NULL;
  free(store);
  control_add(HANDLES, -1);
}

/* A process that ends without destroy takes its segments with it, as the real library's exit handler does. */
__attribute__((destructor)) static void at_exit(void) {
  for (struct handle *handle = live_handles; handle != NULL; handle = handle->next) {
    struct store *store = handle->store;
    bool owns = handle->process == getpid() && store->set_up && store->segment_size > 0;
    if (owns && master_lock(&store->master, 1000) == 0) {
      if (is_mounted(store)) segment_unmount(&store->master, store->segment);
      master_unlock(&store->master);
    }
  }
}

/* ---- setup ---- */

static bool has_port(const char *host) {
  const char *colon = strchr(host, ':');
  if (*host == '[') return strstr(host, "]:") != NULL;
  return colon != NULL && strchr(colon + 1, ':') == NULL;
}

/* http(s)://host:port/metadata, with something that listens there */
static bool metadata_answers(const char *metadata) {
  char host[256], port[16] = "80";
  const char *from = strstr(metadata, "://") + 3, *path = strchr(from, '/');
  if (path == NULL || strcmp(path, "/metadata") != 0) return false;
  snprintf(host, sizeof host, "%.*s", (int)(path - from), from);
  char *colon = strrchr(host, ':');
  if (colon != NULL) {
    snprintf(port, sizeof port, "%s", colon + 1);
    *colon = 0;
  }
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(host, port, &hints, &found) != 0) return false;
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool answers = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0;
  if (fd >= 0) close(fd);
  freeaddrinfo(found);
  return answers;
}

/* 0 with the master open, or the error after the time that the real library takes */
static int find_master(struct store *store, const char *host, const char *address) {
  const char *segment = getenv("MOONCAKE_STANDIN_SEGMENT"), *retries = getenv("MC_STORE_CLIENT_SETUP_RETRIES");
  int attempts = has_port(host) ? 1 : retries != NULL ? atoi(retries) : 20;
  for (int i = 0; i < attempts; i++) {
    if (master_open(&store->master, address, segment != NULL ? atoll(segment) : -1)) {
      enum process_state state = master_state(&store->master);
      for (int64_t began = now_ns(); state == FROZEN && now_ns() - began < control(RPC_TIMEOUT_MS) * 1000000;) {
        sleep_ms(2);
        state = master_state(&store->master);
      }
      if (state == RUNNING) return 0;
      master_close(&store->master);
      if (state == FROZEN) continue;
    }
    sleep_ms(control(DOWN_DELAY_MS));
  }
  return has_port(host) ? INVALID_PARAMS : INTERNAL_ERROR;
}

static int set_up(struct store *store, const char *host, const char *metadata, uint64_t segment_size,
                  uint64_t buffer_size, const char *protocol, const char *address) {
  if (*host == 0) return INVALID_PARAMS;
  bool http = strncmp(metadata, "http://", 7) == 0 || strncmp(metadata, "https://", 8) == 0;
  if (!http && strcmp(metadata, "P2PHANDSHAKE") != 0) {
    misuse("setup", "the metadata server is neither P2PHANDSHAKE nor http(s)://host:port/metadata");
  }
  tear_down(store);
  if (strcmp(protocol, "tcp") != 0 && strcmp(protocol, "rdma") != 0) {
    sleep_ms(control(PROTOCOL_MS));
    return INTERNAL_ERROR;
  }
  if (http && !metadata_answers(metadata)) {
    sleep_ms(control(METADATA_MS));
    return INTERNAL_ERROR;
  }
  if (buffer_size > LARGEST_SEGMENT) return INTERNAL_ERROR;
  int rc = find_master(store, host, address);
  if (rc != 0) return rc;
  /* a segment of the wrong size leaves a handle behind that calls itself healthy */
  bool wrong = segment_size != 0 && (segment_size < SMALLEST_SEGMENT || segment_size > LARGEST_SEGMENT);
  store->segment_size = wrong ? 0 : segment_size;
  store->segment = NO_SEGMENT;
  store->buffer_size = buffer_size;
  store->master_missed = 0;
  unsigned port = 12300 + store->master.shared->next_port++ % 2000;
  snprintf(store->name, sizeof store->name, has_port(host) ? "%s" : "%s:%u", host, port);
  if (store->segment_size > 0 && master_lock(&store->master, control(RPC_TIMEOUT_MS)) == 0) {
    mount_own(store);
    master_unlock(&store->master);
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's business, not the keeper's */
  pthread_create(&store->keeper, NULL, keep, store);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  store->set_up = true;
  return wrong ? INVALID_PARAMS : 0;
}

int mooncake_store_setup(store_t pointer, const char *host, const char *metadata, uint64_t segment_size,
                         uint64_t buffer_size, const char *protocol, const char *device, const char *address) {
  (void)device;
  if (pointer == NULL || host == NULL || metadata == NULL || protocol == NULL || address == NULL) {
    return INTERNAL_ERROR;
  }
  struct store *store = enter("setup", pointer);
  int rc = fault_of_call("setup");
  if (rc == 0) rc = set_up(store, host, metadata, segment_size, buffer_size, protocol, address);
  leave(pointer);
  return rc;
}

/* Of no use to Kvasir and not measured: it behaves as before setup. */
int mooncake_store_init_all(store_t pointer, const char *protocol, const char *device, uint64_t segment_size) {
  (void)segment_size;
  return pointer == NULL || protocol == NULL || device == NULL ? INTERNAL_ERROR : INVALID_PARAMS;
}

int mooncake_store_health_check(store_t pointer) {
  if (pointer == NULL) return INTERNAL_ERROR;
  struct store *store = enter("health_check", pointer);
  int rc = fault_of_call("health_check");
  if (rc == 0 && !store->set_up) rc = 1;
  /* without a segment there is no heartbeat, so nothing notices that the master is gone */
  if (rc == 0 && store->segment_size > 0 && master_state(&store->master) != RUNNING) rc = 2;
  leave(pointer);
  return rc;
}

int mooncake_store_get_hostname(store_t pointer, char *out, size_t length) {
  if (pointer == NULL || out == NULL || length == 0) return INTERNAL_ERROR;
  struct store *store = enter("get_hostname", pointer);
  snprintf(out, length, "%s", store->set_up ? store->name : "");
  leave(pointer);
  return 0;
}

/* ---- keys of a batch ---- */

/* shadowed[i]: the same key comes again later in the batch */
static bool *find_shadowed(const char **keys, size_t count) {
  bool *shadowed = calloc(count + 1, 1);
  size_t size = 1;
  while (size < 2 * count) size *= 2;
  size_t *table = count > 1 ? calloc(size, sizeof *table) : NULL; /* index + 1 */
  for (size_t i = 0; i < count && table != NULL; i++) {
    uint64_t hash = 5381;
    for (const char *p = keys[i]; *p != 0; p++) hash = hash * 33 + (unsigned char)*p;
    size_t at = hash & (size - 1);
    while (table[at] != 0 && strcmp(keys[table[at] - 1], keys[i]) != 0) at = (at + 1) & (size - 1);
    if (table[at] != 0) shadowed[table[at] - 1] = true;
    table[at] = i + 1;
  }
  free(table);
  return shadowed;
}

static bool any_null(const char **keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (keys[i] == NULL) return true;
  }
  return false;
}

/* ---- put ---- */

struct writing {
  struct object *object;
  uint64_t id;
  uint32_t replicas;
  struct place places[MAX_REPLICAS];
};

static void put_start(struct store *store, const char *key, uint64_t size, const struct replicate_config *config,
                      struct writing *writing, int *result) {
  *result = object_start(&store->master, key, size, config, &writing->object);
  if (writing->object == NULL) return;
  writing->id = writing->object->id;
  writing->replicas = writing->object->replicas;
  for (uint32_t r = 0; r < writing->replicas; r++) writing->places[r] = place_of(store, writing->object, r);
}

/* single: a put whose object was lost while its bytes could not be written reports that, a batch does not */
static int put_end(struct store *store, struct writing *writing, int result, bool single) {
  if (result == 0) return object_end(&store->master, writing->object, writing->id);
  if (writing->object->state == WRITING && writing->object->id == writing->id) {
    object_delete(&store->master, writing->object);
    return result;
  }
  return single ? OBJECT_NOT_FOUND : result;
}

static void put_all(struct store *store, const char *function, const char **keys, void *const *buffers,
                    const size_t *sizes, size_t count, const struct replicate_config *config, int *results) {
  bool single = strcmp(function, "batch_put_from") != 0;
  int fault = fault_of_call(function);
  if (!store->set_up || (config != NULL && config->replica_num == 0)) fault = INVALID_PARAMS;
  if (fault != 0) {
    for (size_t i = 0; i < count; i++) results[i] = fault;
    return;
  }
  struct writing *writings = calloc(count + 1, sizeof *writings);
  bool *shadowed = find_shadowed(keys, count), *asked = calloc(count + 1, 1);
  size_t wanted = 0;
  for (size_t i = 0; i < count; i++) {
    results[i] = *keys[i] == 0 || sizes[i] == 0 ? INVALID_PARAMS : fault_of_key(function, keys[i]);
    asked[i] = results[i] == 0 && !shadowed[i];
    wanted += asked[i];
  }
  int rc = wanted == 0 ? 0 : reach(store);
  for (size_t i = 0; i < count; i++) {
    if (!asked[i]) continue;
    results[i] = rc;
    if (rc == 0) put_start(store, keys[i], sizes[i], config, &writings[i], &results[i]);
  }
  if (wanted > 0 && rc == 0) {
    master_unlock(&store->master);
    sleep_ms(control(TRANSFER_MS));
    struct call call = {now_ns() + control(PUT_TIMEOUT_MS) * 1000000, 0};
    for (size_t i = 0; i < count; i++) {
      for (uint32_t r = 0; r < writings[i].replicas && results[i] == 0; r++) {
        results[i] = transfer(store, &writings[i].places[r], buffers[i], sizes[i], true, &call);
      }
    }
    rc = reach(store);
    for (size_t i = 0; i < count; i++) {
      if (writings[i].object == NULL) continue;
      results[i] = rc != 0 ? rc : put_end(store, &writings[i], results[i], single);
    }
    if (rc == 0) master_unlock(&store->master);
  }
  /* of one key twice both report what became of the last */
  for (size_t i = count; i-- > 0;) {
    if (!shadowed[i] || results[i] != 0) continue;
    size_t last = i + 1;
    while (strcmp(keys[last], keys[i]) != 0) last++;
    results[i] = results[last];
  }
  free(asked);
  free(shadowed);
  free(writings);
}

int mooncake_store_put(store_t pointer, const char *key, const void *buffer, size_t size,
                       const struct replicate_config *config) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  struct store *store = enter("put", pointer);
  int result = INVALID_PARAMS;
  if (size > 0 && size <= store->buffer_size) {
    void *bytes = (void *)(uintptr_t)buffer;
    if (buffer == NULL) {
      result = INTERNAL_ERROR;
    } else {
      put_all(store, "put", &key, &bytes, &size, 1, config, &result);
    }
  }
  leave(pointer);
  return result;
}

int mooncake_store_put_from(store_t pointer, const char *key, void *buffer, size_t size,
                            const struct replicate_config *config) {
  if (pointer == NULL || key == NULL || (buffer == NULL && size > 0)) return INTERNAL_ERROR;
  struct store *store = enter("put_from", pointer);
  int result = 0; /* of size 0: it says 0, and stores nothing */
  if (size > 0 || *key == 0 || !store->set_up) {
    put_all(store, "put_from", &key, &buffer, &size, 1, config, &result);
  }
  leave(pointer);
  return result;
}

int mooncake_store_batch_put_from(store_t pointer, const char **keys, void **buffers, const size_t *sizes,
                                  size_t count, const struct replicate_config *config, int *results) {
  if (pointer == NULL || keys == NULL || buffers == NULL || sizes == NULL || results == NULL) return INTERNAL_ERROR;
  struct store *store = enter("batch_put_from", pointer);
  if (!store->set_up) misuse("batch_put_from", "setup was not called");
  int rc = any_null(keys, count) ? INTERNAL_ERROR : 0;
  if (rc == 0) put_all(store, "batch_put_from", keys, buffers, sizes, count, config, results);
  leave(pointer);
  return rc;
}

/* ---- get ---- */

struct reading {
  struct place place;
  int64_t lease_until;
};

static void lease(struct store *store, struct object *object) {
  int64_t now = now_ns(), until = now + store->master.shared->settings[LEASE_MS] * 1000000;
  object->used_at = now;
  if (until > object->lease_until) object->lease_until = until;
}

/* Size of the value, with a lease, or the error. */
static int64_t look_up(struct store *store, const char *key, struct object **found) {
  *found = object_find(&store->master, key);
  if (*found == NULL) return OBJECT_NOT_FOUND;
  if ((*found)->state == WRITING) return REPLICA_IS_NOT_READY;
  lease(store, *found);
  return (int64_t)(*found)->size;
}

static void get_all(struct store *store, const char *function, const char **keys, void *const *buffers,
                    const size_t *sizes, size_t count, int64_t *results) {
  int rc = fault_of_call(function);
  if (!store->set_up) rc = INVALID_PARAMS;
  if (rc == 0 && count > 0) rc = reach(store);
  if (rc != 0 || count == 0) {
    for (size_t i = 0; i < count; i++) results[i] = rc;
    return;
  }
  struct reading *readings = calloc(count, sizeof *readings);
  bool *shadowed = find_shadowed(keys, count);
  for (size_t i = 0; i < count; i++) {
    struct object *object;
    int fault = fault_of_key(function, keys[i]);
    results[i] = fault != 0 ? fault : look_up(store, keys[i], &object);
    if (results[i] < 0) continue;
    if (sizes[i] < (size_t)results[i] || buffers[i] == NULL) {
      results[i] = INVALID_PARAMS;
      continue;
    }
    readings[i] = (struct reading){place_of(store, object, 0),
                                   now_ns() + store->master.shared->settings[LEASE_MS] * 1000000};
  }
  master_unlock(&store->master);
  sleep_ms(control(TRANSFER_MS));
  struct call call = {now_ns() + control(GET_TIMEOUT_MS) * 1000000, 0};
  for (size_t i = 0; i < count; i++) {
    /* of one key twice only the last buffer is filled, and both report success */
    if (results[i] < 0 || shadowed[i]) continue;
    rc = transfer(store, &readings[i].place, buffers[i], (size_t)results[i], false, &call);
    if (rc != 0) {
      results[i] = rc;
    } else if (now_ns() > readings[i].lease_until) {
      results[i] = LEASE_EXPIRED;
    }
  }
  free(shadowed);
  free(readings);
}

int64_t mooncake_store_get_into(store_t pointer, const char *key, void *buffer, size_t size) {
  if (pointer == NULL || key == NULL || (buffer == NULL && size > 0)) return INTERNAL_ERROR;
  struct store *store = enter("get_into", pointer);
  int64_t result;
  get_all(store, "get_into", &key, &buffer, &size, 1, &result);
  leave(pointer);
  return result;
}

int mooncake_store_batch_get_into(store_t pointer, const char **keys, void **buffers, const size_t *sizes,
                                  size_t count, int64_t *results) {
  if (pointer == NULL || keys == NULL || buffers == NULL || sizes == NULL || results == NULL) return INTERNAL_ERROR;
  struct store *store = enter("batch_get_into", pointer);
  if (!store->set_up) misuse("batch_get_into", "setup was not called");
  int rc = any_null(keys, count) ? INTERNAL_ERROR : 0;
  if (rc == 0) get_all(store, "batch_get_into", keys, buffers, sizes, count, results);
  leave(pointer);
  return rc;
}

/* ---- existence and size ---- */

static int exists(struct store *store, const char *key) {
  struct object *object;
  if (look_up(store, key, &object) < 0) return 0;
  if (control(DROP_AFTER_EXIST) > 0) {
    control_add(DROP_AFTER_EXIST, -1);
    object_delete(&store->master, object);
  }
  return 1;
}

static void exist_all(struct store *store, const char *function, const char **keys, size_t count, int *results) {
  int rc = fault_of_call(function);
  if (!store->set_up) rc = INVALID_PARAMS;
  if (rc == 0 && count > 0) rc = reach(store);
  for (size_t i = 0; i < count; i++) {
    results[i] = rc != 0 ? rc : fault_of_key(function, keys[i]);
    if (results[i] == 0) results[i] = exists(store, keys[i]);
  }
  if (rc == 0 && count > 0) master_unlock(&store->master);
}

int mooncake_store_is_exist(store_t pointer, const char *key) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  int result;
  exist_all(enter("is_exist", pointer), "is_exist", &key, 1, &result);
  leave(pointer);
  return result;
}

int mooncake_store_batch_is_exist(store_t pointer, const char **keys, size_t count, int *results) {
  if (pointer == NULL || keys == NULL || results == NULL || any_null(keys, count)) return INTERNAL_ERROR;
  struct store *store = enter("batch_is_exist", pointer);
  int rc = store->set_up ? 0 : INVALID_PARAMS;
  if (rc == 0) exist_all(store, "batch_is_exist", keys, count, results);
  leave(pointer);
  return rc;
}

int64_t mooncake_store_get_size(store_t pointer, const char *key) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  struct store *store = enter("get_size", pointer);
  int64_t result = fault_of_call("get_size");
  if (result == 0) result = fault_of_key("get_size", key);
  if (!store->set_up) result = INVALID_PARAMS;
  if (result == 0) result = reach(store);
  if (result == 0) {
    struct object *object;
    result = look_up(store, key, &object);
    master_unlock(&store->master);
  }
  leave(pointer);
  return result;
}

/* ---- removal ---- */

/* Removes what pattern matches (NULL: everything), but for keys being written and, without force, leased ones. */
static int64_t remove_matching(struct store *store, const char *function, const regex_t *pattern, int force) {
  int64_t removed = fault_of_call(function);
  if (!store->set_up) removed = INVALID_PARAMS;
  if (removed == 0) removed = reach(store);
  if (removed != 0) return removed;
  int64_t now = now_ns();
  for (uint32_t i = 1; i <= store->master.shared->objects_used; i++) {
    struct object *object = &store->master.shared->objects[i];
    if (object->state != COMPLETE || (!force && object_leased(object, now))) continue;
    if (pattern != NULL && regexec(pattern, object_key(&store->master, object), 0, NULL, 0) != 0) continue;
    object_delete(&store->master, object);
    removed++;
  }
  master_unlock(&store->master);
  return removed;
}

int mooncake_store_remove(store_t pointer, const char *key, int force) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  struct store *store = enter("remove", pointer);
  int result = fault_of_call("remove");
  if (result == 0) result = fault_of_key("remove", key);
  if (!store->set_up) result = INVALID_PARAMS;
  if (result == 0 && (result = reach(store)) == 0) {
    struct object *object = object_find(&store->master, key);
    if (object == NULL) {
      result = OBJECT_NOT_FOUND;
    } else if (object->state == WRITING) {
      result = REPLICA_IS_NOT_READY;
    } else if (!force && object_leased(object, now_ns())) {
      result = OBJECT_HAS_LEASE;
    } else {
      object_delete(&store->master, object);
    }
    master_unlock(&store->master);
  }
  leave(pointer);
  return result;
}

/* Whether a pattern means the same in POSIX extended syntax as in ECMAScript's; anything doubtful does not. */
static bool is_portable(const char *pattern) {
  bool in_brackets = false;
  for (const char *p = pattern; *p != 0; p++) {
    if (*p == '\\') {
      p++;
      /* \d, \b, \1 and the like, GNU's \< and \`, and an escape that POSIX does not know within brackets */
      if (in_brackets || *p == 0 || strchr("^$\\.*+?()[]{}|-/:,#&~@ \"%=!;", *p) == NULL) return false;
    } else if (in_brackets) {
      in_brackets = *p != ']';
      if (*p == '[') return false; /* [[:alpha:]] and [[] */
    } else if (*p == '[') {
      in_brackets = true;
      if (p[1] == ']' || (p[1] == '^' && p[2] == ']')) return false; /* empty in one, a literal ] in the other */
    } else if ((*p == '(' || strchr("*+?}", *p) != NULL) && p[1] == '?') {
      return false; /* (?:, lookahead, lazy repeats */
    } else if (*p == '{' && !isdigit((unsigned char)p[1])) {
      return false; /* literal in one, an error in the other */
    }
  }
  return true;
}

int64_t mooncake_store_remove_by_regex(store_t pointer, const char *pattern, int force) {
  if (pointer == NULL || pattern == NULL) return INTERNAL_ERROR;
  struct store *store = enter("remove_by_regex", pointer);
  int64_t result = INVALID_PARAMS;
  if (*pattern == 0) {
    result = remove_matching(store, "remove_by_regex", NULL, force);
  } else if (!is_portable(pattern)) {
    fprintf(stderr, "stand-in: remove_by_regex: \"%s\" may mean something else in ECMAScript; not supported\n", pattern);
    result = NOT_SUPPORTED;
  } else {
    regex_t compiled;
    locale_t bytes = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(bytes);
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0) {
      result = remove_matching(store, "remove_by_regex", &compiled, force);
      regfree(&compiled);
    }
    uselocale(before);
    freelocale(bytes);
  }
  leave(pointer);
  return result;
}

int64_t mooncake_store_remove_all(store_t pointer, int force) {
  if (pointer == NULL) return INTERNAL_ERROR;
  int64_t result = remove_matching(enter("remove_all", pointer), "remove_all", NULL, force);
  leave(pointer);
  return result;
}

/* ---- registered memory ---- */

int mooncake_store_register_buffer(store_t pointer, void *buffer, size_t size) {
  if (pointer == NULL || buffer == NULL || size == 0) return INTERNAL_ERROR;
  struct store *store = enter("register_buffer", pointer);
  int result = fault_of_call("register_buffer");
  if (!store->set_up) result = INVALID_PARAMS;
  pthread_mutex_lock(&store->lock);
  uintptr_t from = (uintptr_t)buffer;
  for (struct range *range = store->ranges; range != NULL; range = range->next) {
    if (from < range->from + range->size && range->from < from + size) result = INVALID_PARAMS;
  }
  if (result == 0) {
    struct range *range = malloc(sizeof *range);
    *range = (struct range){from, size, store->ranges};
    store->ranges = range;
    control_add(REGISTERED, 1);
    control_add(REGISTERED_BYTES, (int64_t)size);
  }
  pthread_mutex_unlock(&store->lock);
  leave(pointer);
  return result;
}

int mooncake_store_unregister_buffer(store_t pointer, void *buffer) {
  if (pointer == NULL || buffer == NULL) return INTERNAL_ERROR;
  struct store *store = enter("unregister_buffer", pointer);
  int result = fault_of_call("unregister_buffer");
  if (result == 0) {
    result = INVALID_PARAMS;
    pthread_mutex_lock(&store->lock);
    for (struct range **link = &store->ranges; *link != NULL; link = &(*link)->next) {
      struct range *range = *link;
      if (range->from != (uintptr_t)buffer) continue;
      *link = range->next;
      control_add(REGISTERED, -1);
      control_add(REGISTERED_BYTES, -(int64_t)range->size);
      free(range);
      result = 0;
      break;
    }
    pthread_mutex_unlock(&store->lock);
  }
  leave(pointer);
  return result;
}
