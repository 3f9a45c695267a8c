/* Time, and the state of other processes. */
#ifndef KVASIR_STANDIN_PROCESS_H
#define KVASIR_STANDIN_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

enum process_state { RUNNING, FROZEN, DEAD };

/* a process; pid 0 is "no process: always running", as for a master or segment that lives in the file only */
struct process {
  pid_t pid;
  uint64_t start; /* from /proc: a later process may get the same pid */
};

int64_t now_ns(void);
void sleep_ms(int64_t ms);
struct process this_process(void);
enum process_state process_state(struct process);

#endif
