#define _GNU_SOURCE
#include "standin_test.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct library mc;
struct controls standin;
bool real;
const char *address;
pid_t master_pid;
int http_port;

static const char *row_name;
static char folder[PATH_MAX]; /* of this program */
static pid_t started[64];
static int started_count;

enum { PASSED = 0, FAILED = 1, SKIPPED = 77, MAX_JOBS = 6 };

int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

void pause_ms(int64_t ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) {
  }
}

static _Noreturn void finish(int code) {
  for (int i = 0; i < started_count; i++) {
    kill(started[i], SIGKILL);
    waitpid(started[i], NULL, 0);
  }
  fflush(NULL);
  _exit(code);
}

void skip(const char *why) {
  fprintf(stderr, "%s: %s\n", row_name, why);
  finish(SKIPPED);
}

void only_standin(void) {
  if (real) skip("only the stand-in has the controls for this");
}

void expect(const char *file, int line, const char *what, int64_t expected, int64_t actual) {
  if (expected == actual) return;
  fprintf(stderr, "%s: %s:%d: %s is %lld, not %lld\n", row_name, file, line, what, (long long)actual,
          (long long)expected);
  finish(FAILED);
}

bool crashes(void (*call)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    started_count = 0;
    signal(SIGABRT, SIG_DFL);
    call();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

void *bytes(size_t size, unsigned seed) {
  unsigned char *block = malloc(size + 1);
  for (size_t i = 0; i < size; i++) block[i] = (unsigned char)(i * 31 + (i >> 8) * 7 + seed * 101);
  return block;
}

bool same(const void *left, unsigned seed, size_t size) {
  void *right = bytes(size, seed);
  bool equal = memcmp(left, right, size) == 0;
  free(right);
  return equal;
}

const char *key(const char *name) {
  char *text = NULL;
  if (asprintf(&text, "kvasir-test:%d:%s:%s", (int)getpid(), row_name, name) < 0) abort();
  return text;
}

static void *symbol(void *library, const char *prefix, const char *name) {
  char text[128];
  snprintf(text, sizeof text, "%s%s", prefix, name);
  return dlsym(library, text);
}

/* dlsym gives an object pointer, POSIX says that it may be used as a function pointer */
#define BIND(target, prefix, name) *(void **)&(target).name = symbol(library, prefix, #name)

void load(void) {
  char path[PATH_MAX + 32];
  const char *given = getenv("MOONCAKE_STORE_LIBRARY");
  snprintf(path, sizeof path, "%s/libmooncake_store.so", folder);
  void *library = dlopen(given != NULL ? given : path, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    finish(FAILED);
  }
#define BIND_STORE(type, name, arguments)                                                                              \
  BIND(mc, "mooncake_store_", name);                                                                                   \
  TRUE(mc.name != NULL);
  STORE_ABI(BIND_STORE)
  real = symbol(library, "standin_", "set") == NULL;
  if (real) return;
  BIND(standin, "standin_", set);
  BIND(standin, "standin_", get);
  BIND(standin, "standin_", fail);
  BIND(standin, "standin_", delay);
  BIND(standin, "standin_", clear);
  BIND(standin, "standin_", master_start);
  BIND(standin, "standin_", master_stop);
  BIND(standin, "standin_", master_set);
  BIND(standin, "standin_", master_get);
  BIND(standin, "standin_", flip);
  BIND(standin, "standin_", shorten);
  BIND(standin, "standin_", drop);
  BIND(standin, "standin_", leave_in_flight);
}

/* ---- clusters ---- */

store_t connect_with(uint64_t segment, uint64_t buffer) {
  store_t store = mc.create();
  EXPECT(0, mc.setup(store, "127.0.0.1", "P2PHANDSHAKE", segment, buffer, "tcp", "", address));
  return store;
}

store_t connect_shared(void) {
  if (real) {
    address = getenv("KVASIR_MOONCAKE_MASTER");
    if (address == NULL) skip("set KVASIR_MOONCAKE_MASTER to the host:port of a master");
  } else {
    address = "in-file:1";
    setenv("MOONCAKE_STANDIN_SEGMENT", "268435456", 1);
  }
  return connect_with(0, 4 << 20);
}

static int free_port(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof any;
  bool bound = bind(fd, (struct sockaddr *)&any, length) == 0 && getsockname(fd, (struct sockaddr *)&any, &length) == 0;
  close(fd);
  TRUE(bound);
  return ntohs(any.sin_port);
}

static pid_t start(const char *program, char **arguments) {
  char path[2 * PATH_MAX];
  const char *programs = real ? getenv("MOONCAKE_PROGRAMS") : folder;
  if (programs == NULL) skip("set MOONCAKE_PROGRAMS to the folder of mooncake_master and mooncake_client");
  snprintf(path, sizeof path, "%s/%s_%s", programs, real ? "mooncake" : "standin", program);
  arguments[0] = path;
  int out[2];
  TRUE(pipe(out) == 0);
  pid_t child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* create() blocked signals in the parent */
    /* the real one writes so much that a pipe which nobody reads would stop it */
    int into = real ? open("/dev/null", O_WRONLY) : out[1];
    dup2(into, 1);
    if (real) dup2(into, 2);
    close(out[0]);
    close(out[1]);
    execv(path, arguments);
    perror(path);
    _exit(127);
  }
  close(out[1]);
  started[started_count++] = child;
  if (real) {
    close(out[0]);
    pause_ms(3000);
    return child;
  }
  FILE *output = fdopen(out[0], "r");
  char line[256];
  bool ready = false;
  while (!ready && fgets(line, sizeof line, output) != NULL) ready = strcmp(line, "ready\n") == 0;
  fclose(output);
  TRUE(ready);
  return child;
}

void start_master(const char *flag, ...) {
  char port[64], http[64], *arguments[16] = {NULL, port, "--rpc_address=127.0.0.1", http};
  static char text[64];
  static int number;
  if (number == 0) { /* a restart is at the same place */
    number = free_port();
    http_port = free_port();
  }
  snprintf(port, sizeof port, "--rpc_port=%d", number);
  snprintf(http, sizeof http, "--metrics_port=%d", http_port);
  snprintf(text, sizeof text, "127.0.0.1:%d", number);
  int count = 4;
  va_list more;
  va_start(more, flag);
  for (const char *at = flag; at != NULL; at = va_arg(more, const char *)) arguments[count++] = (char *)(uintptr_t)at;
  va_end(more);
  address = text;
  master_pid = start("master", arguments);
}

pid_t start_node(const char *size) {
  char master[128], port[64], segment[64];
  char *arguments[16] = {NULL, master, port, segment, "--host=127.0.0.1", "--metadata_server=P2PHANDSHAKE",
                         "--protocol=tcp", NULL};
  snprintf(master, sizeof master, "--master_server_address=%s", address);
  snprintf(port, sizeof port, "--port=%d", free_port());
  snprintf(segment, sizeof segment, "--global_segment_size=%s", size);
  return start("client", arguments);
}

int end_of(pid_t process) {
  int status = -1;
  waitpid(process, &status, 0);
  for (int i = 0; i < started_count; i++) {
    if (started[i] == process) started[i--] = started[--started_count];
  }
  return status;
}

void stop(pid_t process, int signal) {
  kill(process, signal);
  if (signal == SIGSTOP) waitpid(process, NULL, WUNTRACED);
  if (signal != SIGSTOP && signal != SIGCONT) end_of(process);
}

pid_t start_peer(void (*body)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    started_count = 0;
    body();
    exit(0);
  }
  started[started_count++] = child;
  return child;
}

/* ---- calls with one block ---- */

int put_block(store_t store, const char *name, size_t size, unsigned seed) {
  void *block = bytes(size, seed);
  int rc = mc.put_from(store, name, block, size, NULL);
  free(block);
  return rc;
}

int64_t get_block(store_t store, const char *name, size_t size, unsigned seed) {
  void *block = calloc(size, 1);
  int64_t rc = mc.get_into(store, name, block, size);
  TRUE(rc < 0 || same(block, seed, size));
  free(block);
  return rc;
}

int batch_put_one(store_t store, const char *name, size_t size, const struct replicate_config *config) {
  void *block = bytes(size, 1);
  int result = 12345;
  EXPECT(0, mc.batch_put_from(store, &name, &block, &size, 1, config, &result));
  free(block);
  return result;
}

int64_t batch_get_one(store_t store, const char *name, void *buffer, size_t size) {
  int64_t result = 12345;
  EXPECT(0, mc.batch_get_into(store, &name, &buffer, &size, 1, &result));
  return result;
}

int batch_exist_one(store_t store, const char *name) {
  int result = 12345;
  EXPECT(0, mc.batch_is_exist(store, &name, 1, &result));
  return result;
}

/* ---- the run ---- */

static const struct row *all[256];
static size_t all_count;
static struct job {
  pid_t process;
  const struct row *row;
} jobs[MAX_JOBS];
static int results[128];

static void collect(const struct row *list, int argc, char **argv) {
  for (; list->name != NULL; list++) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; i++) wanted |= strcmp(argv[i], list->name) == 0;
    if (wanted) all[all_count++] = list;
  }
}

static void begin(struct job *job, const struct row *row, const char *scratch) {
  fflush(NULL);
  job->row = row;
  job->process = fork();
  if (job->process != 0) return;
  char own[2 * PATH_MAX];
  snprintf(own, sizeof own, "%s/%s", scratch, row->name);
  mkdir(own, 0700);
  setenv("MOONCAKE_STANDIN_DIR", own, 1);
  row_name = row->name;
  alarm(900); /* longer than any pause of the whole machine */
  load();
  row->run();
  finish(PASSED);
}

static void end_one(void) {
  int status;
  pid_t process = waitpid(-1, &status, 0);
  for (int i = 0; i < MAX_JOBS; i++) {
    if (jobs[i].process != process) continue;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
    results[code == PASSED || code == SKIPPED ? code : FAILED]++;
    const char *word = code == PASSED ? "ok" : code == SKIPPED ? "skipped" : "FAILED";
    printf("%s %s", word, jobs[i].row->name);
    printf(WIFSIGNALED(status) ? " (signal %d)\n" : "\n", WTERMSIG(status));
    jobs[i].process = 0;
  }
}

int main(int argc, char **argv) {
  char self[PATH_MAX] = "", scratch[PATH_MAX + 32];
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 2;
  snprintf(folder, sizeof folder, "%s", dirname(self));
  snprintf(scratch, sizeof scratch, "%s/scratch-XXXXXX", folder);
  if (mkdtemp(scratch) == NULL) return 2;
  collect(rows_of_calls, argc, argv);
  collect(rows_of_life, argc, argv);
  collect(rows_of_crashes, argc, argv);
  collect(rows_of_controls, argc, argv);
  int limit = getenv("KVASIR_MOONCAKE_MASTER") != NULL ? 1 : MAX_JOBS; /* a real cluster is shared */
  for (size_t i = 0; i < all_count; i++) {
    int at = 0;
    while (at < limit && jobs[at].process != 0) at++;
    if (at == limit) {
      end_one();
      i--;
      continue;
    }
    begin(&jobs[at], all[i], scratch);
  }
  for (int i = 0; i < MAX_JOBS; i++) {
    while (jobs[i].process != 0) end_one();
  }
  char command[PATH_MAX + 64];
  snprintf(command, sizeof command, "rm -rf '%s'", scratch);
  int removed = system(command);
  printf("%d ok, %d failed, %d skipped\n", results[PASSED], results[FAILED], results[SKIPPED]);
  return results[FAILED] > 0 || removed != 0 ? 1 : results[PASSED] > 0 ? 0 : SKIPPED;
}
