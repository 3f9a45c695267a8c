#define _GNU_SOURCE
#include "controls.h"
#include "master.h"
#include "standin.h"
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* settings first, counters after them; then the settings of masters that this process makes */
static struct value {
  const char *name;
  _Atomic int64_t value;
} values[VALUES + MASTER_SETTINGS] = {
    [DOWN_DELAY_MS] = {"down_delay_ms", 4300},
    [RPC_TIMEOUT_MS] = {"rpc_timeout_ms", 30000},
    [GET_TIMEOUT_MS] = {"get_timeout_ms", 30000},
    [PUT_TIMEOUT_MS] = {"put_timeout_ms", 60000},
    [PROTOCOL_MS] = {"protocol_ms", 22000},
    [METADATA_MS] = {"metadata_ms", 2100},
    [CALL_DELAY_MS] = {"call_delay_ms", 0},
    [TRANSFER_MS] = {"transfer_ms", 0},
    [DESTROY_MS] = {"destroy_ms", 0},
    [EVICT] = {"evict", 1},
    [DROP_AFTER_EXIST] = {"drop_after_exist", 0},
    [DIE_AT] = {"die_at", 0},
    [HANDLES] = {"handles", 0},
    [IN_FLIGHT] = {"in_flight", 0},
    [CALLS] = {"calls", 0},
    [REGISTERED] = {"registered", 0},
    [REGISTERED_BYTES] = {"registered_bytes", 0},
    [PUT_BYTES] = {"put_bytes", 0},
    [GET_BYTES] = {"get_bytes", 0},
    [VALUES + LEASE_MS] = {"lease_ms", 10000},
    [VALUES + DISCARD_MS] = {"discard_ms", 30000},
    [VALUES + CLIENT_TTL_MS] = {"client_ttl_ms", 10000},
    [VALUES + SOFT_PIN_MS] = {"soft_pin_ms", 1800000},
    [VALUES + EVICT_FROM] = {"evict_from", 90},
    [VALUES + EVICT_STEP] = {"evict_step", 5},
};

static void read_environment(void) {
  for (int i = 0; i < VALUES + MASTER_SETTINGS; i++) {
    char variable[64] = "MOONCAKE_STANDIN_";
    size_t length = strlen(variable);
    for (const char *p = values[i].name; *p != 0; p++) variable[length++] = (char)toupper((unsigned char)*p);
    variable[length] = 0;
    const char *text = getenv(variable);
    if (text != NULL && (i < HANDLES || i >= VALUES)) values[i].value = atoll(text);
  }
  const char *timeout = getenv("MC_RPC_TIMEOUT_MS");
  if (timeout != NULL) values[RPC_TIMEOUT_MS].value = atoll(timeout);
}

static struct value *at(int index) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_environment);
  return &values[index];
}

static struct value *find(const char *name) {
  for (int i = 0; i < VALUES + MASTER_SETTINGS; i++) {
    if (strcmp(values[i].name, name) == 0) return at(i);
  }
  return NULL;
}

int64_t control(int value) { return at(value)->value; }

int64_t control_add(int value, int64_t change) { return atomic_fetch_add(&at(value)->value, change); }

int64_t standin_set(const char *name, int64_t value) {
  struct value *found = find(name);
  return found == NULL ? -1 : atomic_exchange(&found->value, value);
}

int64_t standin_get(const char *name) {
  struct value *found = find(name);
  return found == NULL ? -1 : found->value;
}

_Noreturn void misuse(const char *function, const char *what) {
  fprintf(stderr, "stand-in: mooncake_store_%s: %s; this crashes the real library\n", function, what);
  abort();
}

void die_here(void) {
  if (control(DIE_AT) > 0 && control_add(DIE_AT, -1) == 1) raise(SIGKILL);
}

/* ---- faults ---- */

static struct rule {
  char function[32]; /* "" for any */
  char key_part[128];
  int code;
  int64_t delay_ms;
  int count;
} rules[16];
static _Atomic int pending;
static pthread_mutex_t rules_lock = PTHREAD_MUTEX_INITIALIZER;

static int add(struct rule rule, const char *function, const char *key_part) {
  snprintf(rule.function, sizeof rule.function, "%s", function == NULL ? "" : function);
  snprintf(rule.key_part, sizeof rule.key_part, "%s", key_part == NULL ? "" : key_part);
  int rc = -1;
  pthread_mutex_lock(&rules_lock);
  for (int i = 0; i < 16 && rc != 0 && rule.count > 0; i++) {
    if (rules[i].count == 0) {
      rules[i] = rule;
      pending++;
      rc = 0;
    }
  }
  pthread_mutex_unlock(&rules_lock);
  return rc;
}

int standin_fail(const char *function, const char *key_part, int code, int count) {
  return add((struct rule){.code = code, .count = count}, function, key_part);
}

int standin_delay(const char *function, int64_t ms, int count) {
  return add((struct rule){.delay_ms = ms, .count = count}, function, NULL);
}

void standin_clear(void) {
  pthread_mutex_lock(&rules_lock);
  memset(rules, 0, sizeof rules);
  pending = 0;
  pthread_mutex_unlock(&rules_lock);
}

/* Uses up one count of the first rule that fits. key NULL: rules for whole calls. */
static struct rule take(const char *function, const char *key, bool delay) {
  struct rule taken = {.count = 0};
  if (pending == 0) return taken;
  pthread_mutex_lock(&rules_lock);
  for (int i = 0; i < 16; i++) {
    struct rule *rule = &rules[i];
    if (rule->count == 0 || (rule->code == 0) != delay) continue;
    if (rule->function[0] != 0 && strcmp(rule->function, function) != 0) continue;
    if (key == NULL ? rule->key_part[0] != 0 : rule->key_part[0] == 0 || strstr(key, rule->key_part) == NULL) continue;
    taken = *rule;
    if (--rule->count == 0) pending--;
    break;
  }
  pthread_mutex_unlock(&rules_lock);
  return taken;
}

int fault_of_call(const char *function) {
  sleep_ms(control(CALL_DELAY_MS) + take(function, NULL, true).delay_ms);
  return take(function, NULL, false).code;
}

int fault_of_key(const char *function, const char *key) { return take(function, key, false).code; }
