/* The life of a handle: create, setup, destroy, what it says of itself, and its registered memory. */
#define _GNU_SOURCE
#include "store.h"
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SMALLEST_SEGMENT (UINT64_C(16) << 20)
#define LARGEST_SEGMENT (UINT64_C(512) << 30)
#define DEFAULT_MASTER "127.0.0.1:50051"

static struct handle *live_handles;
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

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
  while (store->ranges != NULL) {
    struct range *range = store->ranges;
    store->ranges = range->next;
    control_add(REGISTERED, -1);
    control_add(REGISTERED_BYTES, -(int64_t)range->size);
    free(range);
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
static int find_master(struct master *found, const char *host, const char *address) {
  const char *segment = getenv("MOONCAKE_STANDIN_SEGMENT"), *retries = getenv("MC_STORE_CLIENT_SETUP_RETRIES");
  int attempts = has_port(host) ? 1 : retries != NULL ? atoi(retries) : 20;
  for (int i = 0; i < attempts; i++) {
    if (master_open(found, address, segment != NULL ? atoll(segment) : -1)) {
      enum process_state state = master_state(found);
      for (int64_t began = now_ns(); state == FROZEN && now_ns() - began < control(RPC_TIMEOUT_MS) * 1000000;) {
        sleep_ms(2);
        state = master_state(found);
      }
      if (state == RUNNING) return 0;
      master_close(found);
      if (state == FROZEN) continue;
    }
    sleep_ms(control(DOWN_DELAY_MS));
  }
  return has_port(host) ? INVALID_PARAMS : INTERNAL_ERROR;
}

/* What the real library's engine makes of its settings, which it looks at when it has found the master: 0, or the error. */
static int start_engine(const char *function, const char *host, const char *metadata, const char *protocol) {
  bool http = strncmp(metadata, "http://", 7) == 0 || strncmp(metadata, "https://", 8) == 0;
  if (!http && strcmp(metadata, "P2PHANDSHAKE") != 0) {
    misuse(function, "the metadata server is neither P2PHANDSHAKE nor http(s)://host:port/metadata");
  }
  int failure = has_port(host) ? INVALID_PARAMS : INTERNAL_ERROR;
  if (strcmp(protocol, "tcp") != 0 && strcmp(protocol, "rdma") != 0) {
    sleep_ms(control(PROTOCOL_MS));
    return failure;
  }
  if (http && !metadata_answers(metadata)) {
    sleep_ms(control(METADATA_MS));
    return failure;
  }
  return 0;
}

static int set_up(const char *function, struct store *store, const char *host, const char *metadata,
                  uint64_t segment_size, uint64_t buffer_size, const char *protocol, const char *address) {
  if (*host == 0) return INVALID_PARAMS;
  struct master found;
  int rc = find_master(&found, host, address);
  if (rc != 0) return rc;
  rc = start_engine(function, host, metadata, protocol);
  if (rc != 0) {
    master_close(&found);
    return rc;
  }
  tear_down(store);
  store->master = found;
  /* sizes that cannot be had leave a handle behind that calls itself healthy */
  if (segment_size != 0 && (segment_size < SMALLEST_SEGMENT || segment_size > LARGEST_SEGMENT)) rc = INVALID_PARAMS;
  if (buffer_size > LARGEST_SEGMENT) rc = INTERNAL_ERROR;
  store->segment_size = rc == 0 ? segment_size : 0;
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
  return rc;
}

static char setup_protocol[64], setup_device[256];

static void note_setup(const char *protocol, const char *device) {
  pthread_mutex_lock(&live_lock);
  snprintf(setup_protocol, sizeof setup_protocol, "%s", protocol == NULL ? "" : protocol);
  snprintf(setup_device, sizeof setup_device, "%s", device == NULL ? "" : device);
  pthread_mutex_unlock(&live_lock);
}

void standin_last_setup(char *protocol, size_t protocol_length, char *device, size_t device_length) {
  pthread_mutex_lock(&live_lock);
  snprintf(protocol, protocol_length, "%s", setup_protocol);
  snprintf(device, device_length, "%s", setup_device);
  pthread_mutex_unlock(&live_lock);
}

static const char *or_else(const char *text, const char *otherwise) { return text != NULL ? text : otherwise; }

int mooncake_store_setup(store_t pointer, const char *host, const char *metadata, uint64_t segment_size,
                         uint64_t buffer_size, const char *protocol, const char *device, const char *address) {
  if (pointer == NULL) return INTERNAL_ERROR;
  struct store *store = enter("setup", pointer);
  note_setup(protocol, device);
  int rc = fault_of_call("setup");
  if (rc == 0) {
    rc = set_up("setup", store, or_else(host, ""), or_else(metadata, ""), segment_size, buffer_size,
                or_else(protocol, "tcp"), or_else(address, DEFAULT_MASTER));
  }
  leave(pointer);
  return rc;
}

/* The real one knows one place for the master, and one for the metadata, which only builds with etcd can read. */
int mooncake_store_init_all(store_t pointer, const char *protocol, const char *device, uint64_t segment_size) {
  (void)device;
  if (pointer == NULL) return INTERNAL_ERROR;
  struct store *store = enter("init_all", pointer);
  int rc = fault_of_call("init_all");
  if (store->set_up) rc = INVALID_PARAMS;
  if (rc == 0) {
    rc = set_up("init_all", store, "localhost:12345", "127.0.0.1:2379", segment_size, UINT64_C(1) << 30,
                or_else(protocol, "tcp"), DEFAULT_MASTER);
  }
  leave(pointer);
  return rc;
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
  bool fits = strlen(store->name) < length;
  if (fits) strcpy(out, store->name);
  leave(pointer);
  return fits ? 0 : INTERNAL_ERROR;
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
