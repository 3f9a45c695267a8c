#define _GNU_SOURCE
#include "master.h"
#include <errno.h>
#include <fcntl.h>
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

/* ---- restart and lock ---- */

void master_restart(struct master *master, struct process process, uint64_t segment_bytes) {
  struct shared *shared = master->shared;
  for (uint32_t slot = 0; slot < MAX_SEGMENTS; slot++) {
    if (shared->segments[slot].generation != 0) segment_unmount(master, slot);
  }
  objects_clear(shared);
  if (segment_bytes > 0) segment_mount(master, "file", segment_bytes, (struct process){0, 0});
  shared->process = process;
  shared->down = 0;
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
    objects_rebuild(shared);
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
