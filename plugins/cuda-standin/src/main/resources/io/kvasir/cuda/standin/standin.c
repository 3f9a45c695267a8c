/*
 * A stand-in for libcuda.so.1: the driver calls of the CUDA path, on host memory, for tests without a GPU.
 *
 *   device memory  a reserved range mapped PROT_NONE, so that a dereference by the host is a crash and no luck; its bytes
 *                  are a memory file that is mapped a second time elsewhere. Addresses are never used again; fresh
 *                  memory is 0xCD
 *   streams        a thread and a queue each; standin_delay() adds a delay before every operation
 *   events         a wait binds to the last record before the wait was called, as in CUDA
 *   checks         each range of device memory at the call and again when the operation runs, and pinned memory too; a
 *                  current context per thread; handles; an asynchronous copy with memory that is not pinned is counted
 *   idle           standin_idle() leaves the work of copies and kernels out, to time whoever calls
 *   failures       standin_fail() lets the n-th call of a function fail; standin_lose() loses the device: whoever is told
 *                  so may free the memory of the copies that were under way, for none of them goes on
 *   not there      graphs, arrays, managed memory, more than one device; the null stream is one stream like others
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#define API __attribute__((visibility("default")))
typedef int result;
typedef uint64_t address;
enum {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700,
  ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, LAUNCH_FAILED = 719, NOT_SUPPORTED = 801
};

/* ------------------------------------------------------------------------------------------------ state */
#define SPACE (256ull << 30)
#define PAGE 4096ull
#define POISON 0xCD

static atomic_long calls, virtual_calls, copies, bytes_copied, launches, batches, faults, unpinned;
static atomic_long live_device, live_host, registered, live_streams, live_events, contexts;
static atomic_int sticky, moving, idle, version = 12080;
static atomic_long delay_micros;
static int initialised;
static int file = -1;
static uint8_t *device_space, *backing;
static uint64_t used, total = 4ull << 30;

typedef struct range { address base; uint64_t size; int own; struct range *next; } range;
static pthread_rwlock_t ranges_lock = PTHREAD_RWLOCK_INITIALIZER;
static range *device_ranges, *host_ranges;

static struct { char call[40]; int after, code, times; } failure;
static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int has_context;

static int in_space(address a) { return a - (address)device_space < SPACE; }
static uint8_t *host_of(address a) { return in_space(a) ? backing + (a - (address)device_space) : (uint8_t *)a; }

static range *find(range *list, address a, uint64_t n) {
  for (; list; list = list->next) if (a >= list->base && n <= list->size && a - list->base <= list->size - n) return list;
  return NULL;
}

static int lives(range **list, address a, uint64_t n) {
  pthread_rwlock_rdlock(&ranges_lock);
  int found = find(*list, a, n) != NULL;
  pthread_rwlock_unlock(&ranges_lock);
  return found;
}

static void add(range **list, address base, uint64_t size, int own) {
  range *r = malloc(sizeof *r);
  *r = (range){base, size, own, *list};
  *list = r;
}

static range *take(range **list, address base, int own) {
  for (range **at = list; *at; at = &(*at)->next)
    if ((*at)->base == base && (*at)->own == own) { range *r = *at; *at = r->next; return r; }
  return NULL;
}

static result planned(const char *call) {
  int code = SUCCESS;
  pthread_mutex_lock(&failure_lock);
  if (failure.times > 0 && !strcmp(failure.call, call) && --failure.after < 0) { failure.times--; code = failure.code; }
  pthread_mutex_unlock(&failure_lock);
  return code;
}

/* Waits, once the device is lost, for what had begun before: nothing begins after. */
static void come_to_rest(void) { while (moving) sched_yield(); }

/* Java names its platform threads for the system too; the carriers of virtual ones are of a ForkJoinPool. */
static result enter(const char *call, int needs_context) {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  calls++;
  if (!strncmp(name, "ForkJoinPool", 12)) virtual_calls++;
  result code = planned(call);
  if (code) return code;
  if (!initialised && strcmp(call, "cuInit")) return NOT_INITIALIZED;
  if (needs_context && !has_context) return INVALID_CONTEXT;
  if (needs_context && sticky) come_to_rest();
  return needs_context ? sticky : SUCCESS;
}
#define ENTER() do { result e = enter(__func__, 1); if (e) return e; } while (0)
#define ENTER_WITHOUT_CONTEXT() do { result e = enter(__func__, 0); if (e) return e; } while (0)

static void fault(const char *what, address a, uint64_t n) {
  fprintf(stderr, "stand-in: %s at 0x%llx, %llu bytes\n", what, (unsigned long long)a, (unsigned long long)n);
  faults++;
  sticky = ILLEGAL_ADDRESS;
}

/* ------------------------------------------------------------------------------------------------ streams, events */
typedef struct event {
  struct event *next;
  int dead;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t recorded, done;
} event;
enum kind { COPY, FILL, LAUNCH, /* those that touch memory come first */ RECORD, WAIT, HOLD };
typedef struct op {
  struct op *next;
  enum kind kind;
  address to, from;
  uint64_t n, turn;
  int pinned; /* bit 0: to, bit 1: from was pinned memory at the call */
  uint8_t value, *data; /* data: what an engine's kernel writes, the operation's own */
  event *event;
  int kernel;
  uint64_t arguments[4];
  unsigned grid[3], threads;
} op;
typedef struct stream {
  struct stream *next;
  int dead, held;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  op *head, *tail;
  uint64_t submitted, done;
} stream;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;
static stream *streams, *null_stream; /* what is destroyed stays in the list, so that a late use is an error */
static event *events;

int standin_kernel(const char *name) __attribute__((weak));
void standin_run(int kernel, const uint64_t *arguments, const unsigned *grid, unsigned threads) __attribute__((weak));
void standin_abort_kernel(void) __attribute__((weak));

API char *standin_at(address a, uint64_t n) {
  if (in_space(a) ? !lives(&device_ranges, a, n) : !lives(&host_ranges, a, n)) {
    fault("a kernel's access to memory that is no one's", a, n);
    standin_abort_kernel();
  }
  return (char *)host_of(a);
}

static void copy_now(op *o) {
  if (in_space(o->to) && !lives(&device_ranges, o->to, o->n)) fault("copy to freed device memory", o->to, o->n);
  else if (in_space(o->from) && !lives(&device_ranges, o->from, o->n)) fault("copy from freed device memory", o->from, o->n);
  else if (o->pinned & 1 && !lives(&host_ranges, o->to, o->n)) fault("copy to memory no longer pinned", o->to, o->n);
  else if (o->pinned & 2 && !lives(&host_ranges, o->from, o->n)) fault("copy from memory no longer pinned", o->from, o->n);
  else {
    memcpy(host_of(o->to), o->data ? o->data : host_of(o->from), o->n);
    if (o->data) return;
    copies++;
    bytes_copied += (long)o->n;
  }
}

static void signal_event(event *e, uint64_t turn) {
  pthread_mutex_lock(&e->lock);
  if (turn > e->done) e->done = turn;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->lock);
}

static void move(op *o) {
  if (o->kind == COPY) copy_now(o);
  else if (o->kind == LAUNCH) { launches++; standin_run(o->kernel, o->arguments, o->grid, o->threads); }
  else if (!lives(&device_ranges, o->to, o->n)) fault("fill of freed device memory", o->to, o->n);
  else memset(host_of(o->to), o->value, o->n);
}

static void perform(stream *s, op *o) {
  for (long left = delay_micros; left > 0 && !sticky; left -= 1000) { /* a device that is lost makes nobody wait */
    long micros = left < 1000 ? left : 1000;
    nanosleep(&(struct timespec){0, micros * 1000}, NULL);
  }
  if (o->kind == RECORD) signal_event(o->event, o->turn);
  if (o->kind <= LAUNCH) {
    moving++; /* before the look at sticky, or whoever loses the device would miss it */
    if (!sticky && !(idle && o->kind != FILL)) move(o);
    moving--;
    return;
  }
  if (sticky) return;
  switch (o->kind) {
    case WAIT:
      pthread_mutex_lock(&o->event->lock);
      while (o->event->done < o->turn && !sticky) pthread_cond_wait(&o->event->changed, &o->event->lock);
      pthread_mutex_unlock(&o->event->lock);
      break;
    case HOLD:
      pthread_mutex_lock(&s->lock);
      while (s->held && !sticky) pthread_cond_wait(&s->changed, &s->lock);
      pthread_mutex_unlock(&s->lock);
      break;
    default: break;
  }
}

static void *work(void *argument) {
  stream *s = argument;
  has_context = 1;
  pthread_setname_np(pthread_self(), "standin-stream"); /* or it has the name of whoever made it */
  for (;;) {
    pthread_mutex_lock(&s->lock);
    while (!s->head && !s->dead) pthread_cond_wait(&s->changed, &s->lock);
    op *o = s->head;
    if (o && !(s->head = o->next)) s->tail = NULL;
    pthread_mutex_unlock(&s->lock);
    if (!o) return NULL;
    perform(s, o);
    free(o->data);
    free(o);
    pthread_mutex_lock(&s->lock);
    s->done++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
  }
}

static stream *new_stream(void) {
  stream *s = calloc(1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  pthread_create(&s->thread, NULL, work, s);
  pthread_detach(s->thread);
  pthread_mutex_lock(&handles_lock);
  s->next = streams;
  streams = s;
  pthread_mutex_unlock(&handles_lock);
  return s;
}

static stream *stream_of(stream *handle) {
  stream *s;
  pthread_mutex_lock(&handles_lock);
  for (s = streams; s && (s != handle || s->dead); s = s->next) {}
  pthread_mutex_unlock(&handles_lock);
  if (!handle) {
    if (!null_stream) null_stream = new_stream();
    return null_stream;
  }
  return s;
}

static event *event_of(event *handle) {
  event *e;
  pthread_mutex_lock(&handles_lock);
  for (e = events; e && (e != handle || e->dead); e = e->next) {}
  pthread_mutex_unlock(&handles_lock);
  return e;
}

static result submit(stream *handle, op o) {
  stream *s = stream_of(handle);
  if (!s) return INVALID_HANDLE;
  op *own = malloc(sizeof *own);
  *own = o;
  own->next = NULL;
  pthread_mutex_lock(&s->lock);
  if (s->tail) s->tail->next = own; else s->head = own;
  s->tail = own;
  s->submitted++;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  return SUCCESS;
}

static result drain(stream *s) {
  pthread_mutex_lock(&s->lock);
  for (uint64_t until = s->submitted; s->done < until;) pthread_cond_wait(&s->changed, &s->lock);
  pthread_mutex_unlock(&s->lock);
  return sticky;
}

static result copy(address to, address from, uint64_t n, stream *s) {
  op o = {.kind = COPY, .to = to, .from = from, .n = n};
  for (int side = 0; side < 2; side++) {
    address a = side ? from : to;
    if (!a || (in_space(a) && !lives(&device_ranges, a, n))) return INVALID_VALUE;
    if (in_space(a)) continue;
    if (lives(&host_ranges, a, n)) o.pinned |= 1 << side; else unpinned++;
  }
  return submit(s, o);
}

/* ------------------------------------------------------------------------------------------------ device, context */
static void initialise(void) {
  file = memfd_create("standin", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, SPACE)) abort();
  device_space = mmap(NULL, SPACE, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  backing = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (device_space == MAP_FAILED || backing == MAP_FAILED) abort();
  used = PAGE;
  initialised = 1;
}

API result cuInit(unsigned flags) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ENTER_WITHOUT_CONTEXT();
  if (flags) return INVALID_VALUE;
  pthread_once(&once, initialise);
  return SUCCESS;
}
API result cuDriverGetVersion(int *out) { ENTER_WITHOUT_CONTEXT(); *out = version; return SUCCESS; }
API result cuDeviceGetCount(int *out) { ENTER_WITHOUT_CONTEXT(); *out = 1; return SUCCESS; }
API result cuDeviceGet(int *out, int ordinal) { ENTER_WITHOUT_CONTEXT(); *out = ordinal; return ordinal ? INVALID_DEVICE : SUCCESS; }
API result cuDeviceGetName(char *out, int n, int device) {
  ENTER_WITHOUT_CONTEXT();
  snprintf(out, (size_t)n, "Kvasir driver stand-in");
  return device ? INVALID_DEVICE : SUCCESS;
}
API result cuDevicePrimaryCtxRetain(void **out, int device) {
  ENTER_WITHOUT_CONTEXT();
  if (device) return INVALID_DEVICE;
  *out = &contexts;
  contexts++;
  return sticky;
}
API result cuDevicePrimaryCtxRelease_v2(int device) { ENTER_WITHOUT_CONTEXT(); contexts--; return device ? INVALID_DEVICE : SUCCESS; }
API result cuCtxSetCurrent(void *context) {
  ENTER_WITHOUT_CONTEXT();
  if (context && context != (void *)&contexts) return INVALID_CONTEXT;
  has_context = context != NULL;
  return SUCCESS;
}

/* ------------------------------------------------------------------------------------------------ memory */
API result cuMemAlloc_v2(address *out, size_t n) {
  ENTER();
  if (!n) return INVALID_VALUE;
  uint64_t room = (n + PAGE - 1) / PAGE * PAGE;
  pthread_rwlock_wrlock(&ranges_lock);
  uint64_t live = 0;
  for (range *r = device_ranges; r; r = r->next) live += r->size;
  int fits = live + n <= total && used + room + PAGE <= SPACE;
  if (fits) {
    *out = (address)device_space + used;
    used += room + PAGE; /* a page that is no one's lies between any two */
    add(&device_ranges, *out, n, 1);
    live_device++;
  }
  pthread_rwlock_unlock(&ranges_lock);
  if (!fits) return OUT_OF_MEMORY;
  memset(host_of(*out), POISON, n);
  return SUCCESS;
}
API result cuMemFree_v2(address a) {
  ENTER();
  for (stream *s = streams; s; s = s->next) if (!s->dead) drain(s); /* it waits for the device, as CUDA's does */
  pthread_rwlock_wrlock(&ranges_lock);
  range *r = take(&device_ranges, a, 1);
  pthread_rwlock_unlock(&ranges_lock);
  if (!r) return INVALID_VALUE;
  live_device--;
  uint64_t room = (r->size + PAGE - 1) / PAGE * PAGE;
  if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(a - (address)device_space), (off_t)room)) abort();
  free(r);
  return SUCCESS;
}
API result cuMemHostAlloc(void **out, size_t n, unsigned flags) {
  (void)flags;
  ENTER();
  if (posix_memalign(out, PAGE, n)) return OUT_OF_MEMORY;
  pthread_rwlock_wrlock(&ranges_lock);
  add(&host_ranges, (address)*out, n, 1);
  pthread_rwlock_unlock(&ranges_lock);
  live_host++;
  return SUCCESS;
}
API result cuMemFreeHost(void *p) {
  ENTER();
  pthread_rwlock_wrlock(&ranges_lock);
  range *r = take(&host_ranges, (address)p, 1);
  pthread_rwlock_unlock(&ranges_lock);
  if (!r) return INVALID_VALUE;
  live_host--;
  free(r);
  free(p);
  return SUCCESS;
}
static address first_page(address a) { return a / PAGE * PAGE; } /* pages are pinned, whole */
API result cuMemHostRegister_v2(void *p, size_t n, unsigned flags) {
  (void)flags;
  ENTER();
  result code = SUCCESS;
  pthread_rwlock_wrlock(&ranges_lock);
  for (range *r = host_ranges; r; r = r->next)
    if (first_page((address)p) < r->base + r->size && first_page(r->base) < (address)p + n) code = ALREADY_REGISTERED;
  if (!code) { add(&host_ranges, (address)p, n, 0); registered++; }
  pthread_rwlock_unlock(&ranges_lock);
  return code;
}
API result cuMemHostUnregister(void *p) {
  ENTER();
  pthread_rwlock_wrlock(&ranges_lock);
  range *r = take(&host_ranges, (address)p, 0);
  pthread_rwlock_unlock(&ranges_lock);
  if (!r) return NOT_REGISTERED;
  registered--;
  free(r);
  return SUCCESS;
}
API result cuPointerGetAttribute(void *out, int attribute, address a) {
  ENTER();
  int device = in_space(a) && lives(&device_ranges, a, 1);
  if (!device && !lives(&host_ranges, a, 1)) return INVALID_VALUE; /* as of memory that CUDA does not know */
  switch (attribute) {
    case 2: *(unsigned *)out = device ? 2 : 1; return SUCCESS;
    case 9: *(int *)out = 0; return SUCCESS;
    default: return NOT_SUPPORTED;
  }
}

/* ------------------------------------------------------------------------------------------------ copies */
API result cuMemcpyDtoHAsync_v2(void *to, address from, size_t n, stream *s) { ENTER(); return copy((address)to, from, n, s); }
API result cuMemcpyHtoDAsync_v2(address to, const void *from, size_t n, stream *s) { ENTER(); return copy(to, (address)from, n, s); }
API result cuMemsetD8Async(address to, unsigned char value, size_t n, stream *s) {
  ENTER();
  if (!lives(&device_ranges, to, n)) return INVALID_VALUE;
  return submit(s, (op){.kind = FILL, .to = to, .value = value, .n = n});
}
typedef struct {
  size_t x, y;
  int type;
  const void *host;
  address device;
  void *array;
  size_t pitch;
} side2d;
typedef struct { side2d from, to; size_t width, height; } copy2d;
static int place(const side2d *s, size_t row, address *out) {
  if (s->type != 1 && s->type != 2) return 0;
  *out = (s->type == 2 ? s->device : (address)s->host) + (s->y + row) * s->pitch + s->x;
  return 1;
}
API result cuMemcpy2DAsync_v2(const copy2d *c, stream *s) {
  ENTER();
  for (size_t row = 0; row < c->height; row++) {
    address from, to;
    if (!place(&c->from, row, &from) || !place(&c->to, row, &to) || c->width > c->from.pitch || c->width > c->to.pitch) return INVALID_VALUE;
    result code = copy(to, from, c->width, s);
    if (code) return code;
  }
  return SUCCESS;
}
static result copy_batch(address *to, address *from, size_t *n, size_t count, void *attributes, size_t *first, size_t kinds, stream *s) {
  if (!s || !attributes || kinds != 1 || *first) return INVALID_VALUE; /* the null stream is refused, as documented */
  int order = *(int *)attributes;
  if (order < 1 || order > 3) return INVALID_VALUE;
  batches++;
  for (size_t i = 0; i < count; i++) {
    result code = copy(to[i], from[i], n[i], s);
    if (code) return code;
  }
  return SUCCESS;
}
API result cuMemcpyBatchAsync_v2(address *to, address *from, size_t *n, size_t count, void *a, size_t *first, size_t kinds, stream *s) {
  ENTER();
  return version < 13000 ? NOT_SUPPORTED : copy_batch(to, from, n, count, a, first, kinds, s);
}
API result cuMemcpyBatchAsync(address *to, address *from, size_t *n, size_t count, void *a, size_t *first, size_t kinds, size_t *failed, stream *s) {
  ENTER();
  *failed = SIZE_MAX;
  return version < 12080 ? NOT_SUPPORTED : copy_batch(to, from, n, count, a, first, kinds, s);
}

/* ------------------------------------------------------------------------------------------------ stream and event calls */
API result cuStreamCreate(stream **out, unsigned flags) { (void)flags; ENTER(); *out = new_stream(); live_streams++; return SUCCESS; }
API result cuStreamDestroy_v2(stream *handle) {
  ENTER();
  stream *s = handle ? stream_of(handle) : NULL;
  if (!s) return INVALID_HANDLE;
  pthread_mutex_lock(&s->lock);
  s->dead = 1; /* what is queued is still done, as in CUDA */
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  live_streams--;
  return SUCCESS;
}
API result cuStreamSynchronize(stream *handle) { ENTER(); stream *s = stream_of(handle); return s ? drain(s) : INVALID_HANDLE; }
API result cuStreamWaitEvent(stream *s, event *handle, unsigned flags) {
  (void)flags;
  ENTER();
  event *e = event_of(handle);
  if (!e) return INVALID_HANDLE;
  pthread_mutex_lock(&e->lock);
  uint64_t turn = e->recorded;
  pthread_mutex_unlock(&e->lock);
  return submit(s, (op){.kind = WAIT, .event = e, .turn = turn});
}
API result cuEventCreate(event **out, unsigned flags) {
  (void)flags;
  ENTER();
  event *e = calloc(1, sizeof *e);
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->changed, NULL);
  pthread_mutex_lock(&handles_lock);
  e->next = events;
  events = e;
  pthread_mutex_unlock(&handles_lock);
  *out = e;
  live_events++;
  return SUCCESS;
}
API result cuEventDestroy_v2(event *handle) {
  ENTER();
  event *e = event_of(handle);
  if (!e) return INVALID_HANDLE;
  e->dead = 1;
  live_events--;
  return SUCCESS;
}
API result cuEventRecord(event *handle, stream *s) {
  ENTER();
  event *e = event_of(handle);
  if (!e) return INVALID_HANDLE;
  pthread_mutex_lock(&e->lock);
  uint64_t turn = ++e->recorded;
  pthread_mutex_unlock(&e->lock);
  return submit(s, (op){.kind = RECORD, .event = e, .turn = turn});
}
API result cuEventQuery(event *handle) {
  ENTER();
  event *e = event_of(handle);
  if (!e) return INVALID_HANDLE;
  pthread_mutex_lock(&e->lock);
  int busy = e->done < e->recorded;
  pthread_mutex_unlock(&e->lock);
  return busy ? NOT_READY : SUCCESS;
}

/* ------------------------------------------------------------------------------------------------ kernels */
typedef struct module { char *text; } module;
API result cuModuleLoadData(module **out, const void *image) {
  ENTER();
  if (!strstr(image, ".version 6.4") || !strstr(image, ".target")) return INVALID_IMAGE;
  *out = malloc(sizeof **out);
  (*out)->text = strdup(image);
  return SUCCESS;
}
API result cuModuleUnload(module *m) { ENTER(); free(m->text); free(m); return SUCCESS; }
API result cuModuleGetFunction(intptr_t *out, module *m, const char *name) {
  ENTER();
  char entry[128];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  const char *at = strstr(m->text, entry);
  if (!at || !standin_kernel || !(*out = standin_kernel(name))) return NOT_FOUND;
  int parameters = 0; /* the PTX must have the signature that standin_run() serves */
  for (const char *end = strchr(at, ')'); (at = strstr(at, ".param .u64")) && at < end; at++) parameters++;
  return parameters == 4 ? SUCCESS : INVALID_IMAGE;
}
API result cuLaunchKernel(intptr_t kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, stream *s, void **parameters, void **extra) {
  ENTER();
  if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || !bx || bx > 1024 || by != 1 || bz != 1 || shared || extra) return INVALID_VALUE;
  op o = {.kind = LAUNCH, .kernel = (int)kernel, .grid = {gx, gy, gz}, .threads = bx};
  for (int i = 0; i < 4; i++) o.arguments[i] = *(uint64_t *)parameters[i]; /* read at launch, as in CUDA */
  return submit(s, o);
}

/* ------------------------------------------------------------------------------------------------ for tests */
API void standin_delay(long micros) { delay_micros = micros; }
API void standin_idle(int on) { idle = on; }
API void standin_version(int driver) { version = driver; }
API void standin_memory(uint64_t bytes) { total = bytes; }
/* Lets the call after so many good ones fail, and those that follow it, so many times. */
API void standin_fail(const char *call, int after, int code, int times) {
  pthread_mutex_lock(&failure_lock);
  snprintf(failure.call, sizeof failure.call, "%s", call);
  failure.after = after;
  failure.code = code;
  failure.times = times;
  pthread_mutex_unlock(&failure_lock);
}
API void standin_lose(void) {
  sticky = LAUNCH_FAILED;
  pthread_mutex_lock(&handles_lock);
  for (stream *s = streams; s; s = s->next) { pthread_mutex_lock(&s->lock); pthread_cond_broadcast(&s->changed); pthread_mutex_unlock(&s->lock); }
  for (event *e = events; e; e = e->next) { pthread_mutex_lock(&e->lock); pthread_cond_broadcast(&e->changed); pthread_mutex_unlock(&e->lock); }
  pthread_mutex_unlock(&handles_lock);
}
/* Waits for all that is queued; in streams that were destroyed, too. */
API void standin_settle(void) { for (stream *s = streams; s; s = s->next) drain(s); }
/* A device as new; memory, streams and events of the one before are no more. */
API void standin_recover(void) {
  standin_fail("", 0, 0, 0);
  if (!initialised) return;
  standin_lose();
  standin_settle();
  sticky = SUCCESS;
}
API void standin_hold(stream *s) { pthread_mutex_lock(&s->lock); s->held = 1; pthread_mutex_unlock(&s->lock); submit(s, (op){.kind = HOLD}); }
API void standin_release(stream *s) { pthread_mutex_lock(&s->lock); s->held = 0; pthread_cond_broadcast(&s->changed); pthread_mutex_unlock(&s->lock); }
/* What an engine's kernels do, and what a test looks at; no copies of anybody's. */
API result standin_write(address to, const void *from, size_t n, stream *s) {
  if (!lives(&device_ranges, to, n)) return INVALID_VALUE;
  uint8_t *data = malloc(n);
  memcpy(data, from, n);
  return submit(s, (op){.kind = COPY, .to = to, .data = data, .n = n});
}
API result standin_read(void *to, address from, size_t n) {
  if (!lives(&device_ranges, from, n)) return INVALID_VALUE;
  memcpy(to, host_of(from), n);
  return SUCCESS;
}
API long standin_count(const char *name) {
  struct { const char *name; atomic_long *count; } all[] = {
    {"calls", &calls}, {"virtual-calls", &virtual_calls}, {"copies", &copies}, {"bytes", &bytes_copied},
    {"launches", &launches}, {"batches", &batches}, {"faults", &faults}, {"unpinned", &unpinned},
    {"device", &live_device}, {"host", &live_host}, {"registered", &registered}, {"streams", &live_streams},
    {"events", &live_events}, {"contexts", &contexts}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) if (!strcmp(all[i].name, name)) return *all[i].count;
  return -1;
}
