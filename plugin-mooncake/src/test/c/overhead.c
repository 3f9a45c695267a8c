/*
 * What the Java binding is measured against: the same calls of the library from C, with keys and arrays ready, each
 * timed by itself. OverheadFigures builds this and calls it.
 */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

typedef int (*put_f)(void *, const char **, void **, const size_t *, size_t, const void *, int *);
typedef int (*get_f)(void *, const char **, void **, const size_t *, size_t, int64_t *);
typedef int (*exist_f)(void *, const char **, size_t, int *);

/* nanoseconds, or -1 if an item failed */
int64_t overhead_put(put_f put, void *h, const char **keys, void **buffers, const size_t *sizes, size_t n, int *results) {
  int64_t begun = now();
  int code = put(h, keys, buffers, sizes, n, NULL, results);
  for (size_t i = 0; i < n; i++) code |= results[i];
  int64_t took = now() - begun;
  return code == 0 ? took : -1;
}

int64_t overhead_get(get_f get, void *h, const char **keys, void **buffers, const size_t *sizes, size_t n, int64_t *results) {
  int64_t begun = now();
  int code = get(h, keys, buffers, sizes, n, results);
  for (size_t i = 0; i < n; i++) code |= results[i] != (int64_t)sizes[i];
  int64_t took = now() - begun;
  return code == 0 ? took : -1;
}

int64_t overhead_exist(exist_f exist, void *h, const char **keys, size_t n, int *results) {
  int64_t begun = now();
  int code = exist(h, keys, n, results);
  for (size_t i = 0; i < n; i++) code |= results[i] != 1;
  int64_t took = now() - begun;
  return code == 0 ? took : -1;
}
