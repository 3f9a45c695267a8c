/*
 * The test of the stand-in, and of the real library where there is one: each row runs in a process of its own and says
 * what the tables of Kvasir's notes on Mooncake say. What only the stand-in can do is skipped on the real library.
 *
 * The real library: MOONCAKE_STORE_LIBRARY and KVASIR_MOONCAKE_MASTER (a cluster with at least 256 MiB of storage whose
 * keys may be lost); MOONCAKE_PROGRAMS, a folder with mooncake_master and mooncake_client, for the rows that start
 * clusters of their own.
 */
#ifndef KVASIR_STANDIN_TEST_H
#define KVASIR_STANDIN_TEST_H

#include "standin.h"
#include "store_abi.h"
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define POINTER(type, name, arguments) type(*name) arguments;
extern struct library {
  STORE_ABI(POINTER)
} mc;

extern struct controls {
  int64_t (*set)(const char *, int64_t);
  int64_t (*get)(const char *);
  int (*fail)(const char *, const char *, int, int);
  int (*delay)(const char *, int64_t, int);
  void (*clear)(void);
  int (*master_start)(const char *, uint64_t);
  int (*master_stop)(const char *);
  int64_t (*master_set)(const char *, const char *, int64_t);
  int64_t (*master_get)(const char *, const char *);
  int (*flip)(const char *, const char *, uint64_t);
  int (*shorten)(const char *, const char *, uint64_t);
  int (*drop)(const char *, const char *);
  int (*leave_in_flight)(const char *, const char *, uint64_t);
} standin;

struct row {
  const char *name;
  void (*run)(void);
};
#define ROW(name) {#name, name}
extern const struct row rows_of_calls[], rows_of_life[], rows_of_crashes[], rows_of_controls[];

extern bool real;           /* the library under test is Mooncake's own */
extern const char *address; /* of the master that connect_* use */

void load(void);
_Noreturn void skip(const char *why);
void only_standin(void);
void expect(const char *file, int line, const char *what, int64_t expected, int64_t actual);
#define EXPECT(expected, actual) expect(__FILE__, __LINE__, #actual, (expected), (actual))
#define TRUE(condition) expect(__FILE__, __LINE__, #condition, 1, (condition) ? 1 : 0)

/* Dies by a signal, in a child. */
#define CRASHES(call) TRUE(crashes(call))
bool crashes(void (*call)(void));

int64_t now_ms(void);
void pause_ms(int64_t ms);

/* the cluster that all rows may use; on the stand-in one for each row, in a file */
store_t connect_shared(void);
/* a handle on address with a segment and a staging buffer of its own */
store_t connect_with(uint64_t segment, uint64_t buffer);
/* a key that no other row uses */
const char *key(const char *name);

/* clusters of the row's own; NULL ends the flags */
void start_master(const char *flag, ...);
pid_t start_node(const char *size);
void stop(pid_t, int signal); /* and waits for its end, but for SIGSTOP and SIGCONT */
extern pid_t master_pid;
extern int http_port; /* of the master */

/* another process that runs body, from before this one has a handle; it may end by itself or by stop() */
pid_t start_peer(void (*body)(void));
int end_of(pid_t); /* waits for it; as waitpid says it */

/* bytes that depend on the seed */
void *bytes(size_t size, unsigned seed);
bool same(const void *left, unsigned seed, size_t size);

/* put_from, batch_get_into and so on, with one block of so many bytes made from seed */
int put_block(store_t, const char *key, size_t size, unsigned seed);
int64_t get_block(store_t, const char *key, size_t size, unsigned seed); /* fails the row on other bytes */

int batch_put_one(store_t, const char *key, size_t size, const struct replicate_config *);
int64_t batch_get_one(store_t, const char *key, void *buffer, size_t size);
int batch_exist_one(store_t, const char *key);

/* Repeats until the condition holds, for 20 s at most. */
#define UNTIL(condition)                                                                                               \
  for (int64_t until = now_ms() + 20000; !(condition); pause_ms(10)) TRUE(now_ms() < until)

#endif
