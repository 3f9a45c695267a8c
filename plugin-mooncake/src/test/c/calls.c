/* The calls on keys: put, get, existence and removal. */
#define _GNU_SOURCE
#include "store.h"
#include <ctype.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys of a batch ---- */

/* shadowed[i]: the same key comes again later in the batch */
static bool *find_shadowed(const char **keys, size_t count) {
  bool *shadowed = calloc(count + 1, 1);
  size_t size = 1;
  while (size < 2 * count) size *= 2;
  size_t *table = count > 1 ? calloc(size, sizeof *table) : NULL; /* index + 1 */
  for (size_t i = 0; i < count && table != NULL; i++) {
    uint64_t hash = 5381;
    for (const char *p = keys[i]; *p != 0; p++) hash = hash * 33 + (unsigned char)*p;
    size_t at = hash & (size - 1);
    while (table[at] != 0 && strcmp(keys[table[at] - 1], keys[i]) != 0) at = (at + 1) & (size - 1);
    if (table[at] != 0) shadowed[table[at] - 1] = true;
    table[at] = i + 1;
  }
  free(table);
  return shadowed;
}

/* buffers: NULL for calls without them */
static bool any_null(const char **keys, void **buffers, const size_t *sizes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (keys[i] == NULL || (buffers != NULL && buffers[i] == NULL && sizes[i] > 0)) return true;
  }
  return false;
}

/* ---- put ---- */

#define SOCKET_BUFFERS ((size_t)4 << 20)

struct writing {
  struct object *object;
  uint64_t id;
  uint32_t replicas;
  struct place places[MAX_REPLICAS];
};

static void put_start(struct store *store, const char *key, uint64_t size, const struct replicate_config *config,
                      struct writing *writing, int *result) {
  *result = object_start(&store->master, key, size, config, &writing->object);
  if (writing->object == NULL) return;
  writing->id = writing->object->id;
  writing->replicas = writing->object->replicas;
  for (uint32_t r = 0; r < writing->replicas; r++) writing->places[r] = place_of(store, writing->object, r);
}

/* single: a put whose object was lost while its bytes could not be written reports that, a batch does not */
static int put_end(struct store *store, struct writing *writing, int result, bool single) {
  if (result == 0) return object_end(&store->master, writing->object, writing->id);
  if (writing->object->state == WRITING && writing->object->id == writing->id) {
    object_delete(&store->master, writing->object);
    return result;
  }
  return single ? OBJECT_NOT_FOUND : result;
}

static void put_all(struct store *store, const char *function, const char **keys, void *const *buffers,
                    const size_t *sizes, size_t count, const struct replicate_config *config, int *results) {
  bool single = strcmp(function, "batch_put_from") != 0;
  int fault = fault_of_call(function);
  if (!store->set_up || (config != NULL && config->replica_num == 0)) fault = INVALID_PARAMS;
  if (fault != 0) {
    for (size_t i = 0; i < count; i++) results[i] = fault;
    return;
  }
  struct writing *writings = calloc(count + 1, sizeof *writings);
  bool *shadowed = find_shadowed(keys, count), *asked = calloc(count + 1, 1);
  size_t wanted = 0;
  for (size_t i = 0; i < count; i++) {
    results[i] = *keys[i] == 0 || sizes[i] == 0 ? INVALID_PARAMS : fault_of_key(function, keys[i]);
    asked[i] = results[i] == 0 && !shadowed[i];
    wanted += asked[i];
  }
  int rc = wanted == 0 ? 0 : reach(store);
  for (size_t i = 0; i < count; i++) {
    if (!asked[i]) continue;
    results[i] = rc;
    if (rc == 0) put_start(store, keys[i], sizes[i], config, &writings[i], &results[i]);
  }
  if (wanted > 0 && rc == 0) {
    master_unlock(&store->master);
    sleep_ms(control(TRANSFER_MS));
    int64_t began = now_ns();
    struct call call = {0, 0};
    for (size_t i = 0; i < count; i++) {
      call.deadline = began + control(sizes[i] > SOCKET_BUFFERS ? PUT_TIMEOUT_MS : GET_TIMEOUT_MS) * 1000000;
      for (uint32_t r = 0; r < writings[i].replicas && results[i] == 0; r++) {
        results[i] = transfer(store, &writings[i].places[r], buffers[i], sizes[i], true, &call);
      }
    }
    rc = reach(store);
    for (size_t i = 0; i < count; i++) {
      if (writings[i].object == NULL) continue;
      results[i] = rc != 0 ? rc : put_end(store, &writings[i], results[i], single);
    }
    if (rc == 0) master_unlock(&store->master);
  }
  /* of one key twice both report what became of the last */
  for (size_t i = count; i-- > 0;) {
    if (!shadowed[i] || results[i] != 0) continue;
    size_t last = i + 1;
    while (strcmp(keys[last], keys[i]) != 0) last++;
    results[i] = results[last];
  }
  free(asked);
  free(shadowed);
  free(writings);
}

int mooncake_store_put(store_t pointer, const char *key, const void *buffer, size_t size,
                       const struct replicate_config *config) {
  if (pointer == NULL || key == NULL || (buffer == NULL && size > 0)) return INTERNAL_ERROR;
  struct store *store = enter("put", pointer);
  int result = INVALID_PARAMS;
  if (size > 0 && size <= store->buffer_size) {
    void *bytes = (void *)(uintptr_t)buffer;
    put_all(store, "put", &key, &bytes, &size, 1, config, &result);
  }
  leave(pointer);
  return result;
}

int mooncake_store_put_from(store_t pointer, const char *key, void *buffer, size_t size,
                            const struct replicate_config *config) {
  if (pointer == NULL || key == NULL || (buffer == NULL && size > 0)) return INTERNAL_ERROR;
  struct store *store = enter("put_from", pointer);
  int result = 0; /* of size 0: it says 0, and stores nothing */
  if (size > 0 || *key == 0 || !store->set_up) {
    put_all(store, "put_from", &key, &buffer, &size, 1, config, &result);
  }
  leave(pointer);
  return result;
}

int mooncake_store_batch_put_from(store_t pointer, const char **keys, void **buffers, const size_t *sizes,
                                  size_t count, const struct replicate_config *config, int *results) {
  if (pointer == NULL || keys == NULL || buffers == NULL || sizes == NULL || results == NULL) return INTERNAL_ERROR;
  struct store *store = enter("batch_put_from", pointer);
  if (!store->set_up) misuse("batch_put_from", "setup was not called");
  int rc = any_null(keys, buffers, sizes, count) ? INTERNAL_ERROR : 0;
  if (rc == 0) put_all(store, "batch_put_from", keys, buffers, sizes, count, config, results);
  leave(pointer);
  return rc;
}

/* ---- get ---- */

struct reading {
  struct place place;
  int64_t lease_until;
};

static void lease(struct store *store, struct object *object) {
  int64_t until = now_ns() + store->master.shared->settings[LEASE_MS] * 1000000;
  if (until > object->lease_until) object->lease_until = until;
}

/* A replica in the client's own segment, otherwise the first one, even if its owner is dead and another's is not. */
static uint32_t replica_to_read(struct store *store, struct object *object) {
  for (uint32_t r = 0; r < object->replicas; r++) {
    uint32_t slot = object->replica[r].segment;
    bool own = slot == store->segment && store->master.shared->segments[slot].generation == store->segment_generation;
    if (own) return r;
  }
  return 0;
}

/* Size of the value, with a lease, or the error. */
static int64_t look_up(struct store *store, const char *key, struct object **found) {
  *found = object_find(&store->master, key);
  if (*found == NULL) return OBJECT_NOT_FOUND;
  if ((*found)->state == WRITING) return REPLICA_IS_NOT_READY;
  lease(store, *found);
  return (int64_t)(*found)->size;
}

static void get_all(struct store *store, const char *function, const char **keys, void *const *buffers,
                    const size_t *sizes, size_t count, int64_t *results) {
  int rc = fault_of_call(function);
  if (!store->set_up) rc = INVALID_PARAMS;
  if (rc == 0 && count > 0) rc = reach(store);
  if (rc != 0 || count == 0) {
    for (size_t i = 0; i < count; i++) results[i] = rc;
    return;
  }
  struct reading *readings = calloc(count, sizeof *readings);
  bool *shadowed = find_shadowed(keys, count);
  for (size_t i = 0; i < count; i++) {
    struct object *object;
    int fault = fault_of_key(function, keys[i]);
    results[i] = fault != 0 ? fault : look_up(store, keys[i], &object);
    if (results[i] < 0) continue;
    if (sizes[i] < (size_t)results[i]) {
      results[i] = INVALID_PARAMS;
      continue;
    }
    readings[i] = (struct reading){place_of(store, object, replica_to_read(store, object)),
                                   now_ns() + store->master.shared->settings[LEASE_MS] * 1000000};
  }
  master_unlock(&store->master);
  sleep_ms(control(TRANSFER_MS));
  struct call call = {now_ns() + control(GET_TIMEOUT_MS) * 1000000, 0};
  for (size_t i = 0; i < count; i++) {
    /* of one key twice only the last buffer is filled, and both report success */
    if (results[i] < 0 || shadowed[i]) continue;
    rc = transfer(store, &readings[i].place, buffers[i], (size_t)results[i], false, &call);
    if (rc != 0) {
      results[i] = rc;
    } else if (now_ns() > readings[i].lease_until) {
      results[i] = LEASE_EXPIRED;
    }
  }
  free(shadowed);
  free(readings);
}

int64_t mooncake_store_get_into(store_t pointer, const char *key, void *buffer, size_t size) {
  if (pointer == NULL || key == NULL || (buffer == NULL && size > 0)) return INTERNAL_ERROR;
  struct store *store = enter("get_into", pointer);
  int64_t result;
  get_all(store, "get_into", &key, &buffer, &size, 1, &result);
  leave(pointer);
  return result;
}

int mooncake_store_batch_get_into(store_t pointer, const char **keys, void **buffers, const size_t *sizes,
                                  size_t count, int64_t *results) {
  if (pointer == NULL || keys == NULL || buffers == NULL || sizes == NULL || results == NULL) return INTERNAL_ERROR;
  struct store *store = enter("batch_get_into", pointer);
  if (!store->set_up) misuse("batch_get_into", "setup was not called");
  int rc = any_null(keys, buffers, sizes, count) ? INTERNAL_ERROR : 0;
  if (rc == 0) get_all(store, "batch_get_into", keys, buffers, sizes, count, results);
  leave(pointer);
  return rc;
}

/* ---- existence and size ---- */

static int exists(struct store *store, const char *key) {
  struct object *object;
  if (look_up(store, key, &object) < 0) return 0;
  if (control(DROP_AFTER_EXIST) > 0) {
    control_add(DROP_AFTER_EXIST, -1);
    object_delete(&store->master, object);
  }
  return 1;
}

static void exist_all(struct store *store, const char *function, const char **keys, size_t count, int *results) {
  int rc = fault_of_call(function);
  if (!store->set_up) rc = INVALID_PARAMS;
  if (rc == 0 && count > 0) rc = reach(store);
  for (size_t i = 0; i < count; i++) {
    results[i] = rc != 0 ? rc : fault_of_key(function, keys[i]);
    if (results[i] == 0) results[i] = exists(store, keys[i]);
  }
  if (rc == 0 && count > 0) master_unlock(&store->master);
}

int mooncake_store_is_exist(store_t pointer, const char *key) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  int result;
  exist_all(enter("is_exist", pointer), "is_exist", &key, 1, &result);
  leave(pointer);
  return result;
}

int mooncake_store_batch_is_exist(store_t pointer, const char **keys, size_t count, int *results) {
  if (pointer == NULL || keys == NULL || results == NULL || any_null(keys, NULL, NULL, count)) return INTERNAL_ERROR;
  struct store *store = enter("batch_is_exist", pointer);
  int rc = store->set_up ? 0 : INVALID_PARAMS;
  if (rc == 0) exist_all(store, "batch_is_exist", keys, count, results);
  leave(pointer);
  return rc;
}

int64_t mooncake_store_get_size(store_t pointer, const char *key) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  struct store *store = enter("get_size", pointer);
  int64_t result = fault_of_call("get_size");
  if (result == 0) result = fault_of_key("get_size", key);
  if (!store->set_up) result = INVALID_PARAMS;
  if (result == 0) result = reach(store);
  if (result == 0) {
    struct object *object;
    result = look_up(store, key, &object);
    master_unlock(&store->master);
  }
  leave(pointer);
  return result;
}

/* ---- removal ---- */

/* Removes what pattern matches (NULL: everything), but for keys being written and, without force, leased ones. */
static int64_t remove_matching(struct store *store, const char *function, const regex_t *pattern, int force) {
  int64_t removed = fault_of_call(function);
  if (!store->set_up) removed = INVALID_PARAMS;
  if (removed == 0) removed = reach(store);
  if (removed != 0) return removed;
  int64_t now = now_ns();
  for (uint32_t i = 1; i <= store->master.shared->objects_used; i++) {
    struct object *object = &store->master.shared->objects[i];
    if (object->state != COMPLETE || (!force && object_leased(object, now))) continue;
    if (pattern != NULL && regexec(pattern, object_key(&store->master, object), 0, NULL, 0) != 0) continue;
    object_delete(&store->master, object);
    removed++;
  }
  master_unlock(&store->master);
  return removed;
}

int mooncake_store_remove(store_t pointer, const char *key, int force) {
  if (pointer == NULL || key == NULL) return INTERNAL_ERROR;
  struct store *store = enter("remove", pointer);
  int result = fault_of_call("remove");
  if (result == 0) result = fault_of_key("remove", key);
  if (!store->set_up) result = INVALID_PARAMS;
  if (result == 0 && (result = reach(store)) == 0) {
    struct object *object = object_find(&store->master, key);
    if (object == NULL) {
      result = OBJECT_NOT_FOUND;
    } else if (object->state == WRITING) {
      result = REPLICA_IS_NOT_READY;
    } else if (!force && object_leased(object, now_ns())) {
      result = OBJECT_HAS_LEASE;
    } else {
      object_delete(&store->master, object);
    }
    master_unlock(&store->master);
  }
  leave(pointer);
  return result;
}

/* Whether a pattern means the same in POSIX extended syntax as in ECMAScript's; anything doubtful does not. */
static bool is_portable(const char *pattern) {
  bool in_brackets = false;
  for (const char *p = pattern; *p != 0; p++) {
    if (*p == '\\') {
      p++;
      /* \d, \b, \1 and the like, GNU's \< and \`, and an escape that POSIX does not know within brackets */
      if (in_brackets || *p == 0 || strchr("^$\\.*+?()[]{}|-/:,#&~@ \"%=!;", *p) == NULL) return false;
    } else if (in_brackets) {
      in_brackets = *p != ']';
      if (*p == '[') return false; /* [[:alpha:]] and [[] */
    } else if (*p == '[') {
      in_brackets = true;
      if (p[1] == ']' || (p[1] == '^' && p[2] == ']')) return false; /* empty in one, a literal ] in the other */
    } else if ((*p == '(' || strchr("*+?}", *p) != NULL) && p[1] == '?') {
      return false; /* (?:, lookahead, lazy repeats */
    } else if (*p == '{' && !isdigit((unsigned char)p[1])) {
      return false; /* literal in one, an error in the other */
    }
  }
  return true;
}

int64_t mooncake_store_remove_by_regex(store_t pointer, const char *pattern, int force) {
  if (pointer == NULL || pattern == NULL) return INTERNAL_ERROR;
  struct store *store = enter("remove_by_regex", pointer);
  int64_t result = INVALID_PARAMS;
  if (*pattern == 0) {
    result = remove_matching(store, "remove_by_regex", NULL, force);
  } else if (!is_portable(pattern)) {
    fprintf(stderr, "stand-in: remove_by_regex: \"%s\" may mean something else in ECMAScript; not supported\n", pattern);
    result = NOT_SUPPORTED;
  } else {
    regex_t compiled;
    locale_t bytes = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(bytes);
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0) {
      result = remove_matching(store, "remove_by_regex", &compiled, force);
      regfree(&compiled);
    }
    uselocale(before);
    freelocale(bytes);
  }
  leave(pointer);
  return result;
}

int64_t mooncake_store_remove_all(store_t pointer, int force) {
  if (pointer == NULL) return INTERNAL_ERROR;
  int64_t result = remove_matching(enter("remove_all", pointer), "remove_all", NULL, force);
  leave(pointer);
  return result;
}
