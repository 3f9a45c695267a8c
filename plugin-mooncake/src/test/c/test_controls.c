/* Rows about the controls that only the stand-in has. */
#define _GNU_SOURCE
#include "standin_test.h"
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

#define SIZE 1000
#define MIB ((size_t)1 << 20)

static void calls_fail_on_demand(void) {
  only_standin();
  store_t store = connect_shared();
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(0, standin.fail("get_into", NULL, -901, 2));
  EXPECT(1, mc.is_exist(store, "k"));
  EXPECT(-901, get_block(store, "k", SIZE, 1));
  EXPECT(-901, get_block(store, "k", SIZE, 1));
  EXPECT(SIZE, get_block(store, "k", SIZE, 1));
  EXPECT(0, standin.fail(NULL, NULL, -900, 1));
  EXPECT(-900, batch_exist_one(store, "k"));
  EXPECT(1, batch_exist_one(store, "k"));
  EXPECT(0, standin.fail("setup", NULL, -1, 1));
  EXPECT(-1, mc.setup(mc.create(), "127.0.0.1", "P2PHANDSHAKE", 0, 0, "tcp", "", address));
  EXPECT(0, standin.fail("is_exist", NULL, -900, 1));
  standin.clear();
  EXPECT(1, mc.is_exist(store, "k"));
}

static void items_fail_on_demand(void) {
  only_standin();
  store_t store = connect_shared();
  const char *keys[] = {"a", "b", "c"};
  void *block = bytes(SIZE, 1), *buffers[] = {block, block, block};
  size_t sizes[] = {SIZE, SIZE, SIZE};
  int results[3];
  EXPECT(0, standin.fail("batch_put_from", "b", -200, 1));
  EXPECT(0, mc.batch_put_from(store, keys, buffers, sizes, 3, NULL, results));
  EXPECT(0, results[0]);
  EXPECT(-200, results[1]);
  EXPECT(0, results[2]);
  EXPECT(0, mc.batch_is_exist(store, keys, 3, results));
  EXPECT(1, results[0]);
  EXPECT(0, results[1]);
  EXPECT(1, results[2]);
  EXPECT(0, standin.fail("batch_is_exist", "c", -900, 1));
  EXPECT(0, mc.batch_is_exist(store, keys, 3, results));
  EXPECT(1, results[0]);
  EXPECT(-900, results[2]);
}

static void calls_are_slow_on_demand(void) {
  only_standin();
  store_t store = connect_shared();
  EXPECT(0, standin.delay("is_exist", 200, 1));
  int64_t began = now_ms();
  EXPECT(0, mc.is_exist(store, "k"));
  TRUE(now_ms() - began >= 199);
  EXPECT(0, standin.set("call_delay_ms", 50));
  began = now_ms();
  EXPECT(0, mc.is_exist(store, "k"));
  TRUE(now_ms() - began >= 49);
  EXPECT(50, standin.get("call_delay_ms"));
  EXPECT(-1, standin.set("no_such_setting", 1));
  EXPECT(-1, standin.get("no_such_counter"));
}

static void *exist_slowly(void *store) {
  mc.is_exist(store, "k");
  return NULL;
}

static void counters_count(void) {
  only_standin();
  store_t store = connect_shared(), other = mc.create();
  int64_t calls = standin.get("calls");
  EXPECT(2, standin.get("handles"));
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(SIZE, get_block(store, "k", SIZE, 1));
  EXPECT(calls + 2, standin.get("calls"));
  EXPECT(SIZE, standin.get("put_bytes"));
  EXPECT(SIZE, standin.get("get_bytes"));
  char area[200];
  EXPECT(0, mc.register_buffer(store, area, 100));
  EXPECT(0, mc.register_buffer(store, area + 100, 50));
  EXPECT(2, standin.get("registered"));
  EXPECT(150, standin.get("registered_bytes"));
  EXPECT(0, mc.unregister_buffer(store, area));
  EXPECT(1, standin.get("registered"));
  EXPECT(50, standin.get("registered_bytes"));
  EXPECT(1, standin.master_get(address, "keys"));
  EXPECT(1, standin.master_get(address, "leased"));
  EXPECT(1, standin.master_get(address, "segments"));
  EXPECT(256 * (int64_t)MIB, standin.master_get(address, "capacity"));
  EXPECT(SIZE, standin.master_get(address, "used"));
  EXPECT(0, standin.delay("is_exist", 500, 1));
  pthread_t thread;
  pthread_create(&thread, NULL, exist_slowly, store);
  UNTIL(standin.get("in_flight") == 1);
  pthread_join(thread, NULL);
  EXPECT(0, standin.get("in_flight"));
  mc.destroy(other);
  mc.destroy(store);
  EXPECT(0, standin.get("handles"));
  EXPECT(0, standin.get("registered"));
  EXPECT(0, standin.get("registered_bytes"));
}

static void stored_values_can_be_damaged(void) {
  only_standin();
  store_t store = connect_shared();
  unsigned char *into = malloc(SIZE), *block = bytes(SIZE, 1);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(0, standin.flip(address, "k", 8 * 77 + 3));
  EXPECT(SIZE, mc.get_into(store, "k", into, SIZE));
  EXPECT(block[77] ^ 8, into[77]);
  into[77] ^= 8;
  TRUE(same(into, 1, SIZE));
  EXPECT(0, standin.shorten(address, "k", 900));
  EXPECT(900, mc.get_into(store, "k", into, SIZE));
  EXPECT(900, mc.get_size(store, "k"));
  EXPECT(0, standin.drop(address, "k"));
  EXPECT(OBJECT_NOT_FOUND, mc.get_into(store, "k", into, SIZE));
  EXPECT(OBJECT_NOT_FOUND, standin.flip(address, "k", 0));
  EXPECT(OBJECT_NOT_FOUND, standin.shorten(address, "k", 0));
  EXPECT(OBJECT_NOT_FOUND, standin.drop(address, "k"));
  EXPECT(0, standin.master_get(address, "used"));
}

static void key_can_vanish_between_exist_and_get(void) {
  only_standin();
  store_t store = connect_shared();
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(0, put_block(store, "l", SIZE, 1));
  EXPECT(0, standin.set("drop_after_exist", 1));
  EXPECT(1, mc.is_exist(store, "k"));
  EXPECT(OBJECT_NOT_FOUND, get_block(store, "k", SIZE, 1));
  EXPECT(1, mc.is_exist(store, "l"));
  EXPECT(SIZE, get_block(store, "l", SIZE, 1));
}

static void put_can_be_left_in_flight(void) {
  only_standin();
  store_t store = connect_shared();
  EXPECT(0, standin.leave_in_flight(address, "k", SIZE));
  EXPECT(REPLICA_IS_NOT_READY, get_block(store, "k", SIZE, 1));
  EXPECT(30000, standin.master_set(address, "discard_ms", 1));
  pause_ms(5);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(SIZE, get_block(store, "k", SIZE, 1));
}

static void master_in_the_file_can_be_stopped_and_started(void) {
  only_standin();
  address = "switched:1";
  standin.set("down_delay_ms", 100);
  EXPECT(-1, standin.master_stop(address));
  EXPECT(0, standin.master_start(address, 64 * MIB));
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(0, standin.master_stop(address));
  EXPECT(RPC_FAIL, mc.is_exist(store, "k"));
  int64_t began = now_ms();
  EXPECT(RPC_FAIL, mc.is_exist(store, "k"));
  TRUE(now_ms() - began >= 99);
  EXPECT(0, standin.master_start(address, 64 * MIB));
  EXPECT(0, mc.is_exist(store, "k"));
  EXPECT(0, put_block(store, "k", SIZE, 2));
  EXPECT(SIZE, get_block(store, "k", SIZE, 2));
}

static void settings_of_a_master_are_its_own(void) {
  only_standin();
  standin.set("lease_ms", 77);
  EXPECT(0, standin.master_start("one:1", 0));
  standin.set("lease_ms", 88);
  EXPECT(0, standin.master_start("two:1", 0));
  EXPECT(77, standin.master_get("one:1", "lease_ms"));
  EXPECT(88, standin.master_set("two:1", "lease_ms", 99));
  EXPECT(99, standin.master_get("two:1", "lease_ms"));
  EXPECT(-1, standin.master_set("two:1", "no_such_setting", 99));
  EXPECT(-1, standin.master_get("three:1", "lease_ms"));
}

static void doubtful_patterns_are_refused(void) {
  only_standin();
  store_t store = connect_shared();
  const char *const doubtful[] = {"\\d+", "a\\b", "(?:a)", "a*?", "a{", "[[:alpha:]]", "[\\d]", "[]a]", "\\<a"};
  for (int i = 0; i < 9; i++) EXPECT(NOT_SUPPORTED, mc.remove_by_regex(store, doubtful[i], 0));
  EXPECT(0, put_block(store, "kv1:a.b-c/d:1", SIZE, 1));
  EXPECT(0, mc.remove_by_regex(store, "^kv1:a\\.b\\-d/d:", 0));
  EXPECT(0, mc.remove_by_regex(store, "^kv1:aXb\\-c\\/d:", 0));
  EXPECT(1, mc.remove_by_regex(store, "^kv1:a\\.b\\-c\\/d:[0-9]{1,2}$", 0));
}

static int count_entries(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static int count_maps(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  int count = 0, c;
  while ((c = fgetc(maps)) != EOF) count += c == '\n';
  fclose(maps);
  return count;
}

static void thousand_handles_leave_nothing_behind(void) {
  only_standin();
  mc.destroy(connect_shared());
  int files = 0, threads = 0, maps = 0;
  for (int i = 0; i < 1000; i++) {
    store_t store = connect_with(i % 2 == 0 ? 0 : 16 * MIB, 0);
    EXPECT(0, put_block(store, "k", SIZE, 1));
    EXPECT(SIZE, get_block(store, "k", SIZE, 1));
    mc.destroy(store);
    if (i == 10) {
      files = count_entries("/proc/self/fd");
      threads = count_entries("/proc/self/task");
      maps = count_maps();
    }
  }
  EXPECT(files, count_entries("/proc/self/fd"));
  EXPECT(threads, count_entries("/proc/self/task"));
  TRUE(count_maps() < maps + 20);
  EXPECT(4, count_entries(getenv("MOONCAKE_STANDIN_DIR"))); /* ., .., the master and its segment */
}

const struct row rows_of_controls[] = {
    ROW(calls_fail_on_demand),
    ROW(items_fail_on_demand),
    ROW(calls_are_slow_on_demand),
    ROW(counters_count),
    ROW(stored_values_can_be_damaged),
    ROW(key_can_vanish_between_exist_and_get),
    ROW(put_can_be_left_in_flight),
    ROW(master_in_the_file_can_be_stopped_and_started),
    ROW(settings_of_a_master_are_its_own),
    ROW(doubtful_patterns_are_refused),
    ROW(thousand_handles_leave_nothing_behind),
    {NULL, NULL},
};
