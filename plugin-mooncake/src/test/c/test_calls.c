/* One row per line of the tables of results: what a call answers in one process with a working cluster. */
#define _GNU_SOURCE
#include "standin_test.h"
#include <stdio.h>
#include <sys/mman.h>

#define SIZE 100000

static void what_is_put_is_got(void) {
  store_t store = connect_shared();
  char *into = malloc(SIZE);
  EXPECT(0, mc.put(store, key("put"), bytes(SIZE, 3), SIZE, NULL));
  EXPECT(0, mc.put_from(store, key("put_from"), bytes(SIZE, 2), SIZE, NULL));
  EXPECT(0, batch_put_one(store, key("batch"), SIZE, NULL));
  EXPECT(SIZE, mc.get_into(store, key("put"), into, SIZE));
  TRUE(same(into, 3, SIZE));
  EXPECT(SIZE, mc.get_into(store, key("put_from"), into, SIZE));
  TRUE(same(into, 2, SIZE));
  EXPECT(SIZE, batch_get_one(store, key("batch"), into, SIZE));
  TRUE(same(into, 1, SIZE));
  EXPECT(1, mc.is_exist(store, key("put")));
  EXPECT(1, batch_exist_one(store, key("put_from")));
  EXPECT(SIZE, mc.get_size(store, key("batch")));
  EXPECT(0, mc.remove(store, key("batch"), 1));
  EXPECT(0, mc.is_exist(store, key("batch")));
  EXPECT(0, mc.health_check(store));
  mc.destroy(store);
}

static void missing_key_is_704(void) {
  store_t store = connect_shared();
  char *into = bytes(SIZE, 9);
  EXPECT(OBJECT_NOT_FOUND, mc.get_into(store, key("none"), into, SIZE));
  EXPECT(OBJECT_NOT_FOUND, batch_get_one(store, key("none"), into, SIZE));
  TRUE(same(into, 9, SIZE));
  EXPECT(0, mc.is_exist(store, key("none")));
  EXPECT(0, batch_exist_one(store, key("none")));
  EXPECT(OBJECT_NOT_FOUND, mc.get_size(store, key("none")));
  EXPECT(OBJECT_NOT_FOUND, mc.remove(store, key("none"), 0));
  EXPECT(OBJECT_NOT_FOUND, mc.remove(store, key("none"), 1));
}

static void existing_key_keeps_its_old_value(void) {
  store_t store = connect_shared();
  char *into = malloc(SIZE);
  EXPECT(0, mc.put_from(store, key("k"), bytes(SIZE, 5), SIZE, NULL));
  EXPECT(0, mc.put(store, key("k"), bytes(SIZE, 2), SIZE, NULL));
  EXPECT(0, mc.put_from(store, key("k"), bytes(SIZE, 3), SIZE, NULL));
  EXPECT(0, batch_put_one(store, key("k"), SIZE / 2, NULL));
  EXPECT(SIZE, mc.get_into(store, key("k"), into, SIZE));
  TRUE(same(into, 5, SIZE));
}

static void too_small_a_buffer_is_600_and_untouched(void) {
  store_t store = connect_shared();
  char *into = bytes(SIZE, 9);
  EXPECT(0, mc.put_from(store, key("k"), bytes(SIZE, 1), SIZE, NULL));
  EXPECT(INVALID_PARAMS, mc.get_into(store, key("k"), into, SIZE - 1));
  EXPECT(INVALID_PARAMS, batch_get_one(store, key("k"), into, SIZE - 1));
  EXPECT(INVALID_PARAMS, mc.get_into(store, key("k"), into, 0));
  EXPECT(INVALID_PARAMS, mc.get_into(store, key("k"), NULL, 0));
  TRUE(same(into, 9, SIZE));
}

static void larger_buffer_keeps_its_tail(void) {
  store_t store = connect_shared();
  char *into = malloc(2 * SIZE);
  memset(into, 0x55, 2 * SIZE);
  EXPECT(0, mc.put_from(store, key("k"), bytes(SIZE, 1), SIZE, NULL));
  EXPECT(SIZE, mc.get_into(store, key("k"), into, 2 * SIZE));
  TRUE(same(into, 1, SIZE));
  EXPECT(0x55, into[SIZE]);
  EXPECT(SIZE, batch_get_one(store, key("k"), into, 2 * SIZE));
  for (size_t i = SIZE; i < 2 * SIZE; i++) EXPECT(0x55, into[i]);
}

static void size_zero_stores_nothing(void) {
  store_t store = connect_shared();
  char byte = 1;
  EXPECT(INVALID_PARAMS, mc.put(store, key("put"), &byte, 0, NULL));
  EXPECT(0, mc.put_from(store, key("put_from"), &byte, 0, NULL));
  EXPECT(INVALID_PARAMS, batch_put_one(store, key("batch"), 0, NULL));
  EXPECT(0, mc.is_exist(store, key("put")));
  EXPECT(0, mc.is_exist(store, key("put_from")));
  EXPECT(0, mc.is_exist(store, key("batch")));
}

static void empty_key_is_refused(void) {
  store_t store = connect_shared();
  char *into = malloc(SIZE);
  const char *keys[] = {key("a"), "", key("b")};
  void *buffers[] = {bytes(SIZE, 1), bytes(SIZE, 2), bytes(SIZE, 3)};
  size_t sizes[] = {SIZE, SIZE, SIZE};
  int results[3];
  EXPECT(INVALID_PARAMS, mc.put(store, "", into, SIZE, NULL));
  EXPECT(INVALID_PARAMS, mc.put_from(store, "", into, SIZE, NULL));
  EXPECT(0, mc.batch_put_from(store, keys, buffers, sizes, 3, NULL, results));
  EXPECT(0, results[0]);
  EXPECT(INVALID_PARAMS, results[1]);
  EXPECT(0, results[2]);
  EXPECT(1, mc.is_exist(store, keys[0]));
  EXPECT(1, mc.is_exist(store, keys[2]));
  EXPECT(OBJECT_NOT_FOUND, mc.get_into(store, "", into, SIZE));
  EXPECT(0, mc.is_exist(store, ""));
  EXPECT(OBJECT_NOT_FOUND, mc.get_size(store, ""));
  EXPECT(OBJECT_NOT_FOUND, mc.remove(store, "", 0));
}

static void keys_may_be_long_and_odd(void) {
  store_t store = connect_shared();
  char *into = malloc(SIZE), *lengthy = malloc(1 << 20);
  memset(lengthy, 'k', 1 << 20);
  lengthy[(1 << 20) - 1] = 0;
  char *twin = strdup(lengthy); /* differs in its last byte */
  twin[(1 << 20) - 2] = 'l';
  const char *names[] = {lengthy, twin, key("a b/c@d:e,f\n\t%00"), key("\xff\xfe\x80"), key(".*[x](y)+?^$|\\"),
                         key("\xc3\xa4\xe2\x82\xac"), key("last")};
  for (unsigned i = 0; i < 7; i++) EXPECT(0, mc.put_from(store, names[i], bytes(SIZE, i), SIZE, NULL));
  for (unsigned i = 0; i < 7; i++) {
    EXPECT(SIZE, mc.get_into(store, names[i], into, SIZE));
    TRUE(same(into, i, SIZE));
  }
  EXPECT(0, mc.remove(store, lengthy, 1));
  EXPECT(0, mc.is_exist(store, lengthy));
  EXPECT(0, mc.remove(store, twin, 1));
}

static void null_arguments_are_minus_1(void) {
  store_t store = connect_shared();
  char byte = 1, *into = &byte;
  const char *name = key("k");
  void *buffer = into;
  size_t size = 1;
  int result = 4711;
  int64_t long_result = 4711;
  EXPECT(-1, mc.put(NULL, name, into, 1, NULL));
  EXPECT(-1, mc.put(store, NULL, into, 1, NULL));
  EXPECT(-1, mc.put_from(NULL, name, into, 1, NULL));
  EXPECT(-1, mc.put_from(store, NULL, into, 1, NULL));
  EXPECT(-1, mc.batch_put_from(NULL, &name, &buffer, &size, 1, NULL, &result));
  EXPECT(-1, mc.batch_put_from(store, NULL, &buffer, &size, 1, NULL, &result));
  EXPECT(-1, mc.batch_put_from(store, &name, NULL, &size, 1, NULL, &result));
  EXPECT(-1, mc.batch_put_from(store, &name, &buffer, NULL, 1, NULL, &result));
  EXPECT(-1, mc.batch_put_from(store, &name, &buffer, &size, 1, NULL, NULL));
  EXPECT(-1, mc.get_into(NULL, name, into, 1));
  EXPECT(-1, mc.get_into(store, NULL, into, 1));
  EXPECT(-1, mc.batch_get_into(NULL, &name, &buffer, &size, 1, &long_result));
  EXPECT(-1, mc.batch_get_into(store, NULL, &buffer, &size, 1, &long_result));
  EXPECT(-1, mc.batch_get_into(store, &name, &buffer, &size, 1, NULL));
  EXPECT(4711, result);
  EXPECT(4711, long_result);
  EXPECT(-1, mc.is_exist(NULL, name));
  EXPECT(-1, mc.is_exist(store, NULL));
  EXPECT(-1, mc.batch_is_exist(NULL, &name, 1, &result));
  EXPECT(-1, mc.batch_is_exist(store, NULL, 1, &result));
  EXPECT(-1, mc.get_size(NULL, name));
  EXPECT(-1, mc.remove(NULL, name, 0));
  EXPECT(-1, mc.remove(store, NULL, 0));
  EXPECT(-1, mc.remove_by_regex(NULL, "^x$", 0));
  EXPECT(-1, mc.remove_by_regex(store, NULL, 0));
  EXPECT(-1, mc.remove_all(NULL, 0));
  EXPECT(-1, mc.register_buffer(NULL, into, 1));
  EXPECT(-1, mc.unregister_buffer(NULL, into));
  EXPECT(-1, mc.health_check(NULL));
  EXPECT(-1, mc.setup(NULL, "127.0.0.1", "P2PHANDSHAKE", 0, 0, "tcp", "", address));
  mc.destroy(NULL);
}

static void batch_of_nothing_is_0(void) {
  store_t store = connect_shared();
  const char *name = "k";
  void *buffer = NULL;
  size_t size = 0;
  int result = 4711;
  int64_t long_result = 4711;
  EXPECT(0, mc.batch_put_from(store, &name, &buffer, &size, 0, NULL, &result));
  EXPECT(0, mc.batch_get_into(store, &name, &buffer, &size, 0, &long_result));
  EXPECT(0, mc.batch_is_exist(store, &name, 0, &result));
  EXPECT(4711, result);
  EXPECT(4711, long_result);
}

static void of_one_key_put_twice_in_a_batch_the_last_bytes_win(void) {
  store_t store = connect_shared();
  const char *keys[] = {key("k"), key("other"), key("k")};
  void *buffers[] = {bytes(SIZE, 1), bytes(SIZE, 2), bytes(SIZE, 3)};
  size_t sizes[] = {SIZE, SIZE, SIZE};
  int results[3] = {1, 1, 1};
  char *into = malloc(SIZE);
  EXPECT(0, mc.batch_put_from(store, keys, buffers, sizes, 3, NULL, results));
  for (int i = 0; i < 3; i++) EXPECT(0, results[i]);
  EXPECT(SIZE, mc.get_into(store, keys[0], into, SIZE));
  TRUE(same(into, 3, SIZE));
}

static void of_one_key_got_twice_in_a_batch_only_the_last_is_filled(void) {
  store_t store = connect_shared();
  const char *keys[] = {key("k"), key("other"), key("k")};
  void *buffers[] = {bytes(SIZE, 7), bytes(SIZE, 8), bytes(SIZE, 9)};
  size_t sizes[] = {SIZE, SIZE, SIZE};
  int64_t results[3] = {1, 1, 1};
  EXPECT(0, mc.put_from(store, keys[0], bytes(SIZE, 1), SIZE, NULL));
  EXPECT(0, mc.put_from(store, keys[1], bytes(SIZE, 2), SIZE, NULL));
  EXPECT(0, mc.batch_get_into(store, keys, buffers, sizes, 3, results));
  for (int i = 0; i < 3; i++) EXPECT(SIZE, results[i]);
  TRUE(same(buffers[0], 7, SIZE));
  TRUE(same(buffers[1], 2, SIZE));
  TRUE(same(buffers[2], 1, SIZE));
}

static void items_of_a_batch_fail_alone(void) {
  store_t store = connect_shared();
  const char *keys[] = {key("there"), key("missing"), key("large")};
  void *buffers[] = {malloc(SIZE), malloc(SIZE), malloc(SIZE)};
  size_t sizes[] = {SIZE, SIZE, 10};
  int64_t results[3];
  int exists[3];
  EXPECT(0, mc.put_from(store, keys[0], bytes(SIZE, 1), SIZE, NULL));
  EXPECT(0, mc.put_from(store, keys[2], bytes(SIZE, 2), SIZE, NULL));
  EXPECT(0, mc.batch_get_into(store, keys, buffers, sizes, 3, results));
  EXPECT(SIZE, results[0]);
  EXPECT(OBJECT_NOT_FOUND, results[1]);
  EXPECT(INVALID_PARAMS, results[2]);
  EXPECT(0, mc.batch_is_exist(store, keys, 3, exists));
  EXPECT(1, exists[0]);
  EXPECT(0, exists[1]);
  EXPECT(1, exists[2]);
}

static void replication_settings(void) {
  store_t store = connect_shared();
  void *block = bytes(SIZE, 1);
  struct replicate_config zero = {0}, one = {1, 0, 0, NULL, 0}, two = {2, 0, 0, NULL, 0}, soft = {1, 1, 0, NULL, 0},
                          hard = {1, 0, 1, NULL, 0};
  const char *nowhere = "nowhere:1";
  struct replicate_config unknown = {1, 0, 0, &nowhere, 1};
  EXPECT(32, sizeof zero);
  EXPECT(INVALID_PARAMS, mc.put(store, key("put"), block, SIZE, &zero));
  EXPECT(INVALID_PARAMS, mc.put_from(store, key("put_from"), block, SIZE, &zero));
  EXPECT(INVALID_PARAMS, batch_put_one(store, key("batch"), SIZE, &zero));
  EXPECT(0, mc.put_from(store, key("one"), block, SIZE, &one));
  EXPECT(0, mc.put_from(store, key("two"), block, SIZE, &two));
  EXPECT(0, mc.put_from(store, key("soft"), block, SIZE, &soft));
  EXPECT(0, mc.put_from(store, key("hard"), block, SIZE, &hard));
  EXPECT(0, batch_put_one(store, key("unknown"), SIZE, &unknown));
  EXPECT(1, mc.is_exist(store, key("two")));
  EXPECT(1, mc.is_exist(store, key("unknown")));
  EXPECT(0, mc.is_exist(store, key("batch")));
  EXPECT(0, mc.remove(store, key("hard"), 0));
}

static void registered_ranges_do_not_overlap(void) {
  store_t store = connect_shared(), other = connect_with(0, 0);
  char *area = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(0, mc.register_buffer(store, area + 4096, 8192));
  EXPECT(INVALID_PARAMS, mc.register_buffer(store, area + 4096, 8192));
  EXPECT(INVALID_PARAMS, mc.register_buffer(store, area + 4096, 100));
  EXPECT(INVALID_PARAMS, mc.register_buffer(store, area + 8192, 8192));
  EXPECT(INVALID_PARAMS, mc.register_buffer(store, area + 5000, 100));
  EXPECT(INVALID_PARAMS, mc.register_buffer(store, area, 65536));
  EXPECT(0, mc.register_buffer(store, area + 12288, 101));
  EXPECT(0, mc.register_buffer(store, area + 12288 + 101, 7));
  EXPECT(0, mc.register_buffer(other, area + 4096, 8192));
  EXPECT(-1, mc.register_buffer(store, NULL, 100));
  EXPECT(-1, mc.register_buffer(store, area + 65536, 0));
  EXPECT(INVALID_PARAMS, mc.unregister_buffer(store, area + 5000));
  EXPECT(INVALID_PARAMS, mc.unregister_buffer(store, area));
  EXPECT(0, mc.unregister_buffer(store, area + 4096));
  EXPECT(INVALID_PARAMS, mc.unregister_buffer(store, area + 4096));
  EXPECT(0, mc.register_buffer(store, area + 4096, 4096));
  /* a span across the border of registered and other memory is fine */
  memset(area, 3, 1 << 20);
  EXPECT(0, mc.put_from(store, key("k"), area, SIZE, NULL));
  EXPECT(SIZE, mc.get_into(store, key("k"), area + 2 * SIZE, SIZE));
  mc.destroy(other);
  mc.destroy(store);
}

const struct row rows_of_calls[] = {
    ROW(what_is_put_is_got),
    ROW(missing_key_is_704),
    ROW(existing_key_keeps_its_old_value),
    ROW(too_small_a_buffer_is_600_and_untouched),
    ROW(larger_buffer_keeps_its_tail),
    ROW(size_zero_stores_nothing),
    ROW(empty_key_is_refused),
    ROW(keys_may_be_long_and_odd),
    ROW(null_arguments_are_minus_1),
    ROW(batch_of_nothing_is_0),
    ROW(of_one_key_put_twice_in_a_batch_the_last_bytes_win),
    ROW(of_one_key_got_twice_in_a_batch_only_the_last_is_filled),
    ROW(items_of_a_batch_fail_alone),
    ROW(replication_settings),
    ROW(registered_ranges_do_not_overlap),
    {NULL, NULL},
};
