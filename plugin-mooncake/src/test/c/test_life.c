/* Rows about setup and the end of a handle, leases, pressure, and removal. */
#define _GNU_SOURCE
#include "standin_test.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

/* ---- setup ---- */

static int setup(store_t store, const char *host, const char *metadata, uint64_t segment, uint64_t buffer,
                 const char *protocol, const char *master) {
  return mc.setup(store, host, metadata, segment, buffer, protocol, "", master);
}

static void hostname_is_the_host_with_a_port(void) {
  store_t store = connect_shared();
  char name[128], *end;
  EXPECT(0, mc.get_hostname(store, name, sizeof name));
  TRUE(strncmp(name, "127.0.0.1:", 10) == 0);
  long port = strtol(name + 10, &end, 10);
  TRUE(*end == 0 && port >= 12300 && port <= 14300);
  size_t length = strlen(name);
  EXPECT(-1, mc.get_hostname(store, name, length)); /* no room for the NUL */
  EXPECT(0, mc.get_hostname(store, name, length + 1));
}

static void before_setup_all_is_600(void) {
  store_t store = mc.create();
  char byte = 1, name[8] = "x";
  int result;
  const char *k = "k";
  EXPECT(1, mc.health_check(store));
  EXPECT(INVALID_PARAMS, mc.put(store, k, &byte, 1, NULL));
  EXPECT(INVALID_PARAMS, mc.put_from(store, k, &byte, 1, NULL));
  EXPECT(INVALID_PARAMS, mc.get_into(store, k, &byte, 1));
  EXPECT(INVALID_PARAMS, mc.is_exist(store, k));
  EXPECT(INVALID_PARAMS, mc.get_size(store, k));
  EXPECT(INVALID_PARAMS, mc.remove(store, k, 1));
  EXPECT(INVALID_PARAMS, mc.remove_by_regex(store, "^k$", 1));
  EXPECT(INVALID_PARAMS, mc.remove_all(store, 1));
  EXPECT(INVALID_PARAMS, mc.register_buffer(store, &byte, 1));
  result = mc.get_hostname(store, name, sizeof name);
  TRUE(result != 0 || name[0] == 0);
  mc.destroy(store);
}

static void early_batch_put(void) {
  const char *k = "k";
  char byte = 1;
  void *buffer = &byte;
  size_t size = 1;
  int result;
  mc.batch_put_from(mc.create(), &k, &buffer, &size, 1, NULL, &result);
}

static void early_batch_get(void) {
  const char *k = "k";
  char byte = 1;
  void *buffer = &byte;
  size_t size = 1;
  int64_t result;
  mc.batch_get_into(mc.create(), &k, &buffer, &size, 1, &result);
}

static void early_empty_batch(void) {
  const char *k = "k";
  void *buffer = NULL;
  size_t size = 0;
  int64_t result;
  mc.batch_get_into(mc.create(), &k, &buffer, &size, 0, &result);
}

static void batch_before_setup_crashes(void) {
  CRASHES(early_batch_put);
  CRASHES(early_batch_get);
  CRASHES(early_empty_batch);
}

static const char *metadata;

static void setup_with_metadata(void) { setup(mc.create(), "127.0.0.1", metadata, 0, 0, "tcp", address); }

static void other_metadata_strings_crash(void) {
  const char *const others[] = {"", "p2phandshake", "etcd://127.0.0.1:2379", "127.0.0.1:2379", "redis://127.0.0.1:1"};
  start_master(NULL);
  for (int i = 0; i < 5; i++) {
    metadata = others[i];
    CRASHES(setup_with_metadata);
  }
  /* the metadata is looked at when the master has answered */
  stop(master_pid, SIGKILL);
  setenv("MC_STORE_CLIENT_SETUP_RETRIES", "1", 1);
  if (!real) standin.set("down_delay_ms", 200);
  EXPECT(-1, setup(mc.create(), "127.0.0.1", "", 0, 0, "tcp", address));
}

static void init_all_with_a_master(void) {
  setenv("MC_STORE_CLIENT_SETUP_RETRIES", "1", 1);
  mc.init_all(mc.create(), "tcp", "", 0);
}

/* It wants a master at the default port, and metadata that only a build with etcd can read. */
static void init_all_is_of_no_use(void) {
  if (real) skip("the real one's master would have to be at the default port");
  standin.set("down_delay_ms", 200);
  EXPECT(INVALID_PARAMS, mc.init_all(mc.create(), "tcp", "", 0));
  EXPECT(-1, mc.init_all(NULL, "tcp", "", 0));
  EXPECT(INVALID_PARAMS, mc.init_all(connect_shared(), "tcp", "", 0));
  EXPECT(0, standin.master_start("127.0.0.1:50051", 0));
  CRASHES(init_all_with_a_master);
}

static void metadata_server_that_is_not_there_is_minus_1(void) {
  if (!real) standin.set("metadata_ms", 50);
  mc.destroy(connect_shared());
  EXPECT(-1, setup(mc.create(), "127.0.0.1", "http://127.0.0.1:9/metadata", 0, 0, "tcp", address));
}

static void unknown_protocol_is_minus_1(void) {
  if (!real) standin.set("protocol_ms", 50);
  mc.destroy(connect_shared());
  EXPECT(-1, setup(mc.create(), "127.0.0.1", "P2PHANDSHAKE", 0, 0, "bogus", address));
}

static void empty_host_is_600(void) {
  mc.destroy(connect_shared());
  store_t store = mc.create();
  EXPECT(INVALID_PARAMS, setup(store, "", "P2PHANDSHAKE", 0, 0, "tcp", address));
  /* and the handle can be set up yet */
  EXPECT(0, setup(store, "127.0.0.1", "P2PHANDSHAKE", 0, 0, "tcp", address));
  EXPECT(0, put_block(store, key("k"), 1000, 1));
}

static void segment_below_16_mib_leaves_a_half_built_handle(void) {
  mc.destroy(connect_shared());
  for (uint64_t size = 1 * MIB; size <= 8 * MIB; size *= 2) {
    store_t store = mc.create();
    EXPECT(INVALID_PARAMS, setup(store, "127.0.0.1", "P2PHANDSHAKE", size, 0, "tcp", address));
    EXPECT(0, mc.health_check(store));
    mc.destroy(store);
  }
  store_t store = connect_with(17 * MIB + 123, 0);
  EXPECT(0, mc.health_check(store));
  mc.destroy(store);
}

static void put_needs_the_local_buffer(void) {
  mc.destroy(connect_shared());
  store_t store = connect_with(0, 0);
  void *block = bytes(32 * MIB, 1);
  EXPECT(INVALID_PARAMS, mc.put(store, key("k"), block, 1000, NULL));
  EXPECT(0, mc.put_from(store, key("k"), block, 1000, NULL));
  mc.destroy(store);
  store = connect_with(0, 16 * MIB);
  EXPECT(INVALID_PARAMS, mc.put(store, key("l"), block, 32 * MIB, NULL));
  EXPECT(0, mc.put(store, key("l"), block, MIB, NULL));
  mc.destroy(store);
}

static void unreachable_master_fails_setup(void) {
  setenv("MC_STORE_CLIENT_SETUP_RETRIES", "1", 1);
  if (!real) standin.set("down_delay_ms", 200);
  store_t store = mc.create();
  int64_t began = now_ms();
  EXPECT(-1, setup(store, "127.0.0.1", "P2PHANDSHAKE", 0, 0, "tcp", "127.0.0.1:9"));
  TRUE(now_ms() - began >= (real ? 4000 : 200));
  EXPECT(INVALID_PARAMS, setup(store, "127.0.0.1:12399", "P2PHANDSHAKE", 0, 0, "tcp", "127.0.0.1:9"));
  mc.destroy(store);
}

static void second_setup_loses_the_first_segment(void) {
  start_master(NULL);
  store_t store = connect_with(64 * MIB, 0);
  char area[100];
  EXPECT(0, put_block(store, "k", 1000, 1));
  EXPECT(1000, get_block(store, "k", 1000, 1));
  EXPECT(0, mc.register_buffer(store, area, 100));
  EXPECT(0, setup(store, "127.0.0.1", "P2PHANDSHAKE", 64 * MIB, 0, "tcp", address));
  EXPECT(0, mc.is_exist(store, "k"));
  EXPECT(0, mc.register_buffer(store, area, 100));
  EXPECT(0, put_block(store, "k", 1000, 2));
  EXPECT(1000, get_block(store, "k", 1000, 2));
}

/* ---- the end of a handle ---- */

static void destroy_twice(void) {
  store_t store = connect_shared();
  mc.destroy(store);
  mc.destroy(store);
}

static void use_after_destroy(void) {
  store_t store = connect_shared();
  mc.destroy(store);
  for (int i = 0; i < 1000; i++) mc.is_exist(store, "k");
}

static void *call_for_ever(void *store) {
  for (;;) mc.is_exist(store, "k");
  return NULL;
}

static void destroy_under_load(void) {
  store_t store = connect_shared();
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, call_for_ever, store);
  pause_ms(100);
  mc.destroy(store);
  pause_ms(3000);
}

static void misuse_of_a_handle_crashes(void) {
  CRASHES(destroy_twice);
  CRASHES(use_after_destroy);
  CRASHES(destroy_under_load);
}

static sigset_t mask_of_thread;

static void *create_and_look(void *unused) {
  (void)unused;
  mc.destroy(mc.create());
  pthread_sigmask(SIG_SETMASK, NULL, &mask_of_thread);
  return NULL;
}

static void first_create_blocks_signals_in_its_thread(void) {
  const int blocked[] = {SIGHUP, SIGINT, SIGUSR1, SIGTERM};
  pthread_t thread;
  pthread_create(&thread, NULL, create_and_look, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 4; i++) EXPECT(1, sigismember(&mask_of_thread, blocked[i]));
  EXPECT(0, sigismember(&mask_of_thread, SIGUSR2));
  pthread_create(&thread, NULL, create_and_look, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 4; i++) EXPECT(0, sigismember(&mask_of_thread, blocked[i]));
}

/* ---- leases and removal ---- */

static void every_look_at_a_key_takes_a_lease(void) {
  start_master("--default_kv_lease_ttl=10000", NULL);
  start_node("64MB");
  store_t store = connect_with(0, 0);
  char *into = malloc(1000);
  const char *const names[] = {"none", "exist", "batch_exist", "size", "get", "batch_get"};
  for (int i = 0; i < 6; i++) EXPECT(0, put_block(store, names[i], 1000, 1));
  EXPECT(0, mc.remove(store, "none", 0));
  EXPECT(1, mc.is_exist(store, "exist"));
  EXPECT(1, batch_exist_one(store, "batch_exist"));
  EXPECT(1000, mc.get_size(store, "size"));
  EXPECT(1000, mc.get_into(store, "get", into, 1000));
  EXPECT(1000, batch_get_one(store, "batch_get", into, 1000));
  for (int i = 1; i < 6; i++) {
    EXPECT(OBJECT_HAS_LEASE, mc.remove(store, names[i], 0));
    EXPECT(0, mc.remove(store, names[i], 1));
    EXPECT(0, mc.is_exist(store, names[i]));
  }
}

static void lease_ends(void) {
  start_master("--default_kv_lease_ttl=400", NULL);
  start_node("64MB");
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", 1000, 1));
  int64_t began = now_ms();
  EXPECT(1, mc.is_exist(store, "k"));
  UNTIL(mc.remove(store, "k", 0) == 0);
  TRUE(now_ms() - began >= 390);
}

static void get_that_outlasts_its_lease_is_707(void) {
  start_master("--default_kv_lease_ttl=100", NULL);
  start_node("1GB");
  store_t store = connect_with(0, 0);
  size_t size = real ? 800 * MIB : 1000;
  EXPECT(0, put_block(store, "k", size, 1));
  if (!real) standin.set("transfer_ms", 200);
  EXPECT(LEASE_EXPIRED, mc.get_into(store, "k", malloc(size), size));
}

static void regex_is_searched_not_matched(void) {
  start_master("--default_kv_lease_ttl=10000", NULL);
  start_node("64MB");
  store_t store = connect_with(0, 0);
  const char *const names[] = {"pre/a1", "pre/a2", "xpre/a3", "kv1:a.b:1", "kv1:a.b:2", "kv1:axb:1", "leased"};
  for (int i = 0; i < 7; i++) EXPECT(0, put_block(store, names[i], 1000, 1));
  EXPECT(1, mc.is_exist(store, "leased"));
  EXPECT(2, mc.remove_by_regex(store, "^kv1:a\\.b:", 0));
  EXPECT(0, mc.remove_by_regex(store, "^pre$", 0));
  EXPECT(3, mc.remove_by_regex(store, "pre/a", 0));
  EXPECT(0, mc.remove_by_regex(store, "^leased$", 0));
  EXPECT(INVALID_PARAMS, mc.remove_by_regex(store, "(", 0));
  EXPECT(1, mc.remove_by_regex(store, "", 0)); /* all but the leased one: an empty pattern is found in every key */
  EXPECT(1, mc.remove_by_regex(store, "^leased$", 1));
  EXPECT(0, mc.is_exist(store, "kv1:axb:1"));
}

static void remove_all_leaves_leased_keys(void) {
  start_master("--default_kv_lease_ttl=10000", NULL);
  start_node("64MB");
  store_t store = connect_with(0, 0);
  const char *const names[] = {"1", "2", "3", "4", "5"};
  for (int i = 0; i < 5; i++) EXPECT(0, put_block(store, names[i], 1000, 1));
  EXPECT(1, mc.is_exist(store, "2"));
  EXPECT(1, mc.is_exist(store, "4"));
  EXPECT(3, mc.remove_all(store, 0));
  EXPECT(2, mc.remove_all(store, 1));
  EXPECT(0, mc.remove_all(store, 1));
}

/* ---- space ---- */

static void value_fills_its_segment_and_no_more(void) {
  start_master("--default_kv_lease_ttl=10000", NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  EXPECT(NO_AVAILABLE_HANDLE, put_block(store, "large", 16 * MIB + 1, 1));
  EXPECT(NO_AVAILABLE_HANDLE, batch_put_one(store, "large", 16 * MIB + 1, NULL));
  struct replicate_config hard = {1, 0, 1, NULL, 0}; /* a full segment is evicted from at once */
  EXPECT(0, mc.put_from(store, "k", bytes(16 * MIB, 1), 16 * MIB, &hard));
  EXPECT(16 * (int64_t)MIB, get_block(store, "k", 16 * MIB, 1));
}

static void batch_beyond_the_space_succeeds_in_part(void) {
  start_master("--default_kv_lease_ttl=10000", NULL);
  start_node("256MB");
  store_t store = connect_with(0, 0);
  const char *keys[100];
  void *buffers[100], *block = bytes(4 * MIB, 1);
  size_t sizes[100];
  int results[100], stored = 0, refused = 0;
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    keys[i] = strdup(name);
    buffers[i] = block;
    sizes[i] = 4 * MIB;
  }
  EXPECT(0, mc.batch_put_from(store, keys, buffers, sizes, 100, NULL, results));
  for (int i = 0; i < 100; i++) {
    stored += results[i] == 0;
    refused += results[i] == NO_AVAILABLE_HANDLE;
  }
  EXPECT(64, stored);
  EXPECT(36, refused);
}

static void values_of_all_sizes_keep_to_themselves(void) {
  start_master(NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  size_t sizes[40] = {0};
  unsigned random = 12345;
  for (unsigned i = 0; i < 600; i++) {
    random = random * 1103515245 + 12345;
    unsigned at = (random >> 16) % 40;
    char name[16];
    snprintf(name, sizeof name, "k%u", at);
    if (sizes[at] != 0) {
      EXPECT((int64_t)sizes[at], get_block(store, name, sizes[at], at));
      EXPECT(0, mc.remove(store, name, 1));
      sizes[at] = 0;
    } else {
      sizes[at] = 1 + (random >> 8) % 500000; /* 10 MB or so in all: no eviction */
      EXPECT(0, put_block(store, name, sizes[at], at));
    }
  }
}

/* Puts with retries, as under pressure; how many tries it took. */
static int put_at_last(store_t store, const char *name, size_t size, const struct replicate_config *config) {
  int tries = 1;
  void *block = bytes(size, 1);
  for (;; tries++) {
    int rc = mc.put_from(store, name, block, size, config);
    if (rc == 0) break;
    EXPECT(NO_AVAILABLE_HANDLE, rc);
    TRUE(tries < 2000);
    pause_ms(10);
  }
  free(block);
  return tries;
}

static const char *numbered(const char *text, int i) {
  static char name[32];
  snprintf(name, sizeof name, "%s%d", text, i);
  return name;
}

static void pressure_evicts_the_least_recently_used(void) {
  start_master(NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  int more = 0;
  int64_t began = now_ms();
  for (int i = 0; i < 60; i++) more += put_at_last(store, numbered("k", i), MIB, NULL) > 1;
  int64_t took = now_ms() - began;
  EXPECT(0, mc.is_exist(store, "k0"));
  EXPECT(0, mc.is_exist(store, "k20"));
  EXPECT((int64_t)MIB, get_block(store, "k59", MIB, 1));
  TRUE(more > 0 || took > 300); /* a tight loop does meet -200; one that is not leaves time to evict */
}

static void keys_are_evicted_by_the_end_of_their_leases(void) {
  start_master(real ? "--default_kv_lease_ttl=4000" : "--default_kv_lease_ttl=1000", NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "asked", MIB, 1));
  EXPECT(1, mc.is_exist(store, "asked"));
  int64_t asked = now_ms();
  for (int i = 0; i < 13; i++) EXPECT(0, put_block(store, numbered("later", i), MIB, 1));
  if (now_ms() - asked > 900) skip("too slow: the later ones have to be put before the lease ends");
  pause_ms(real ? 4100 : 1100);
  EXPECT(0, put_block(store, "last", MIB, 1));
  pause_ms(300);
  EXPECT(1, mc.is_exist(store, "asked"));
  EXPECT(0, mc.is_exist(store, "later0"));
}

static void eviction_takes_a_share_of_the_keys_whatever_their_size(void) {
  start_master("--default_kv_lease_ttl=60000", NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  for (int i = 0; i < 60; i++) {
    EXPECT(0, put_block(store, numbered("small", i), 1000, 1));
    EXPECT(1, mc.is_exist(store, numbered("small", i))); /* leased, and counted */
  }
  for (int i = 0; i < 15; i++) EXPECT(0, put_block(store, numbered("k", i), MIB, 1));
  pause_ms(500);
  int left = 0;
  for (int i = 0; i < 15; i++) left += mc.is_exist(store, numbered("k", i));
  EXPECT(8, left); /* 94 % of the space: 9 % of 75 keys, where 1 MiB is more than 5 % of the bytes */
}

static void use_protects_from_eviction(void) {
  start_master("--default_kv_lease_ttl=50", NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  for (int i = 0; i < 40; i++) {
    put_at_last(store, numbered("k", i), MIB, NULL);
    EXPECT(1, mc.is_exist(store, "k0"));
    pause_ms(20);
  }
  EXPECT(1, mc.is_exist(store, "k0"));
  EXPECT(0, mc.is_exist(store, "k1"));
}

static void full_of_leases_is_200_until_they_end(void) {
  start_master("--default_kv_lease_ttl=3000", NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  int i = 0;
  int64_t first = 0;
  while (put_block(store, numbered("k", i), MIB, 1) == 0) {
    if (mc.is_exist(store, numbered("k", i++)) == 1 && first == 0) first = now_ms();
  }
  TRUE(put_at_last(store, "late", MIB, NULL) > 1);
  TRUE(now_ms() - first >= 2990);
}

static void hard_pins_are_never_evicted(void) {
  struct replicate_config hard = {1, 0, 1, NULL, 0};
  start_master(NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  void *block = bytes(MIB, 1);
  for (int i = 0; i < 16; i++) EXPECT(0, mc.put_from(store, numbered("k", i), block, MIB, &hard));
  for (int i = 0; i < 50; i++) {
    EXPECT(NO_AVAILABLE_HANDLE, mc.put_from(store, "more", block, MIB, NULL));
    pause_ms(10);
  }
  for (int i = 0; i < 16; i++) EXPECT((int64_t)MIB, get_block(store, numbered("k", i), MIB, 1));
}

static void soft_pins_are_evicted_last(void) {
  struct replicate_config soft = {1, 1, 0, NULL, 0};
  start_master(NULL);
  start_node("16MB");
  store_t store = connect_with(0, 0);
  for (int i = 0; i < 4; i++) put_at_last(store, numbered("soft", i), MIB, &soft);
  for (int i = 0; i < 30; i++) put_at_last(store, numbered("k", i), MIB, NULL);
  for (int i = 0; i < 4; i++) EXPECT((int64_t)MIB, get_block(store, numbered("soft", i), MIB, 1));
  EXPECT(0, mc.is_exist(store, "k0"));
}

const struct row rows_of_life[] = {
    ROW(hostname_is_the_host_with_a_port),
    ROW(before_setup_all_is_600),
    ROW(batch_before_setup_crashes),
    ROW(other_metadata_strings_crash),
    ROW(init_all_is_of_no_use),
    ROW(metadata_server_that_is_not_there_is_minus_1),
    ROW(unknown_protocol_is_minus_1),
    ROW(empty_host_is_600),
    ROW(segment_below_16_mib_leaves_a_half_built_handle),
    ROW(put_needs_the_local_buffer),
    ROW(unreachable_master_fails_setup),
    ROW(second_setup_loses_the_first_segment),
    ROW(misuse_of_a_handle_crashes),
    ROW(first_create_blocks_signals_in_its_thread),
    ROW(every_look_at_a_key_takes_a_lease),
    ROW(lease_ends),
    ROW(get_that_outlasts_its_lease_is_707),
    ROW(regex_is_searched_not_matched),
    ROW(remove_all_leaves_leased_keys),
    ROW(value_fills_its_segment_and_no_more),
    ROW(batch_beyond_the_space_succeeds_in_part),
    ROW(values_of_all_sizes_keep_to_themselves),
    ROW(pressure_evicts_the_least_recently_used),
    ROW(keys_are_evicted_by_the_end_of_their_leases),
    ROW(eviction_takes_a_share_of_the_keys_whatever_their_size),
    ROW(use_protects_from_eviction),
    ROW(full_of_leases_is_200_until_they_end),
    ROW(hard_pins_are_never_evicted),
    ROW(soft_pins_are_evicted_last),
    {NULL, NULL},
};
