#define _GNU_SOURCE
#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
