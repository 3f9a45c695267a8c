/* Settings, counters, pending faults and misuse of this process. */
#ifndef KVASIR_STANDIN_CONTROLS_H
#define KVASIR_STANDIN_CONTROLS_H

#include <stdint.h>

enum {
  DOWN_DELAY_MS,
  RPC_TIMEOUT_MS,
  GET_TIMEOUT_MS,
  PUT_TIMEOUT_MS,
  PROTOCOL_MS,
  METADATA_MS,
  CALL_DELAY_MS,
  TRANSFER_MS,
  DESTROY_MS,
  EVICT,
  DROP_AFTER_EXIST,
  DIE_AT,
  HANDLES,
  IN_FLIGHT,
  CALLS,
  REGISTERED,
  REGISTERED_BYTES,
  PUT_BYTES,
  GET_BYTES,
  VALUES
};

int64_t control(int value);
/* Returns what it was before. */
int64_t control_add(int value, int64_t change);

/* Ends the process as the real library would by a crash, and says why. */
_Noreturn void misuse(const char *function, const char *what);

/* A point within a change of the master's index where the test may have this process killed. */
void die_here(void);

/* Sleeps for the pending delays of a function, and returns the code with which the whole call shall fail, or 0. */
int fault_of_call(const char *function);
/* The code with which a key of a call shall fail, or 0. */
int fault_of_key(const char *function, const char *key);

#endif
