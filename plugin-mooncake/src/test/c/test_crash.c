/* Rows about several processes: what one sees of the other, and what is left of one that dies or freezes. */
#define _GNU_SOURCE
#include "standin_test.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 100000
#define LARGE (32 * MIB)
#define MIB ((size_t)1 << 20)

/* what a peer and this process share */
static struct {
  volatile int step;
  char name[128];
} *board;

static void share_board(void) {
  board = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* the real master takes a second between two signs of life of a client */
static const char *client_ttl(void) { return real ? "--client_ttl=5" : "--client_ttl=2"; }

static void shorten_waits(void) {
  if (real) return;
  standin.set("down_delay_ms", 1000);
  standin.set("get_timeout_ms", 400);
  standin.set("put_timeout_ms", 4000);
}

/* ---- two processes ---- */

static void put_and_answer(void) {
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "from-peer", SIZE, 1));
  board->step = 1;
  UNTIL(board->step == 2);
  EXPECT(SIZE, get_block(store, "from-here", SIZE, 2));
  EXPECT(0, mc.remove(store, "from-here", 1));
  board->step = 3;
  mc.destroy(store);
}

static void processes_see_each_others_keys_at_once(void) {
  start_master(NULL);
  start_node("64MB");
  share_board();
  pid_t peer = start_peer(put_and_answer);
  store_t store = connect_with(0, 0);
  UNTIL(board->step == 1);
  EXPECT(SIZE, get_block(store, "from-peer", SIZE, 1));
  EXPECT(0, put_block(store, "from-here", SIZE, 2));
  board->step = 2;
  UNTIL(board->step == 3);
  EXPECT(0, mc.is_exist(store, "from-here"));
  EXPECT(0, end_of(peer));
  EXPECT(SIZE, get_block(store, "from-peer", SIZE, 1)); /* it lies in the node, not in the peer */
}

static void destroyed_owner_takes_its_keys_with_it(void) {
  start_master(NULL);
  store_t owner = connect_with(64 * MIB, 0), store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  EXPECT(SIZE, get_block(store, "k", SIZE, 1));
  mc.destroy(owner);
  EXPECT(0, mc.is_exist(store, "k"));
  EXPECT(OBJECT_NOT_FOUND, mc.get_into(store, "k", malloc(SIZE), SIZE));
  EXPECT(NO_AVAILABLE_HANDLE, put_block(store, "k", SIZE, 1));
}

static void own_a_segment_and_exit(void) {
  connect_with(64 * MIB, 0);
  board->step = 1;
  UNTIL(board->step == 2);
}

static void exit_without_destroy_takes_the_keys_too(void) {
  start_master(NULL);
  share_board();
  pid_t peer = start_peer(own_a_segment_and_exit);
  UNTIL(board->step == 1);
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  board->step = 2;
  EXPECT(0, end_of(peer));
  EXPECT(0, mc.is_exist(store, "k"));
}

/* ---- where values lie ---- */

static void put_twenty(store_t store, const struct replicate_config *config) {
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "k%d", i);
    EXPECT(0, batch_put_one(store, name, SIZE, config));
  }
}

static int count_twenty(store_t store) {
  int count = 0;
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "k%d", i);
    int64_t size = get_block(store, name, SIZE, 1);
    TRUE(size == SIZE || size == OBJECT_NOT_FOUND);
    count += size == SIZE;
  }
  return count;
}

static void preferred_segments_are_honoured(void) {
  start_master(NULL);
  store_t left = connect_with(64 * MIB, 0), right = connect_with(64 * MIB, 0), store = connect_with(0, 0);
  char name[128];
  EXPECT(0, mc.get_hostname(left, name, sizeof name));
  const char *preferred = name;
  struct replicate_config config = {1, 0, 0, &preferred, 1};
  put_twenty(store, &config);
  mc.destroy(right);
  EXPECT(20, count_twenty(store));
}

static void values_spread_over_the_segments(void) {
  start_master(NULL);
  store_t left = connect_with(64 * MIB, 0), right = connect_with(64 * MIB, 0), store = connect_with(0, 0);
  put_twenty(store, NULL);
  EXPECT(20, count_twenty(store));
  mc.destroy(left);
  int count = count_twenty(store);
  TRUE(count > 0 && count < 20);
  mc.destroy(right);
  EXPECT(0, count_twenty(store));
}

static void replicas_lie_in_different_segments(void) {
  struct replicate_config two = {2, 0, 0, NULL, 0};
  start_master(NULL);
  store_t left = connect_with(64 * MIB, 0), right = connect_with(64 * MIB, 0), store = connect_with(0, 0);
  put_twenty(store, &two);
  mc.destroy(left);
  EXPECT(20, count_twenty(store));
  mc.destroy(right);
  EXPECT(0, count_twenty(store));
}

/* ---- owners ---- */

static void get_reads_the_own_replica_or_else_the_first(void) {
  struct replicate_config two = {2, 0, 0, NULL, 0};
  start_master(client_ttl(), NULL);
  pid_t node = start_node("64MB");
  store_t owner = connect_with(64 * MIB, 0), store = connect_with(0, 0);
  put_twenty(store, &two);
  stop(node, SIGKILL);
  char *into = malloc(SIZE);
  int own = 0, first = 0;
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "k%d", i);
    own += mc.get_into(owner, name, into, SIZE) > 0;
    int64_t got = mc.get_into(store, name, into, SIZE);
    first += got > 0;
    TRUE(got > 0 || got == TRANSFER_FAIL);
  }
  EXPECT(20, own);
  TRUE(first > 0 && first < 20); /* where the dead one's is the first, the other one's is not tried */
}

static void killed_owner_is_800_then_a_miss(void) {
  start_master(client_ttl(), "--default_kv_lease_ttl=200", NULL);
  pid_t node = start_node("64MB");
  store_t store = connect_with(0, 0);
  char *into = malloc(SIZE);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  stop(node, SIGKILL);
  int64_t began = now_ms();
  EXPECT(TRANSFER_FAIL, mc.get_into(store, "k", into, SIZE));
  EXPECT(TRANSFER_FAIL, batch_get_one(store, "k", into, SIZE));
  EXPECT(1, mc.is_exist(store, "k"));
  EXPECT(SIZE, mc.get_size(store, "k"));
  EXPECT(TRANSFER_FAIL, put_block(store, "l", SIZE, 1));
  EXPECT(TRANSFER_FAIL, batch_put_one(store, "l", SIZE, NULL));
  EXPECT(0, mc.is_exist(store, "l"));
  UNTIL(mc.is_exist(store, "k") == 0);
  TRUE(now_ms() - began >= (real ? 3000 : 500));
  EXPECT(OBJECT_NOT_FOUND, mc.get_into(store, "k", into, SIZE));
  EXPECT(NO_AVAILABLE_HANDLE, put_block(store, "k", SIZE, 1));
  EXPECT(0, mc.health_check(store));
  start_node("64MB");
  EXPECT(0, put_block(store, "k", SIZE, 2));
  EXPECT(SIZE, get_block(store, "k", SIZE, 2));
}

static void frozen_owner_blocks_a_get_then_800(void) {
  start_master(client_ttl(), "--default_kv_lease_ttl=200", NULL);
  pid_t node = start_node("64MB");
  shorten_waits();
  store_t store = connect_with(0, 0);
  const char *names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
  void *buffers[8];
  size_t sizes[8];
  int64_t results[8];
  for (int i = 0; i < 8; i++) {
    EXPECT(0, put_block(store, names[i], SIZE, 1));
    buffers[i] = malloc(SIZE);
    sizes[i] = SIZE;
  }
  stop(node, SIGSTOP);
  int64_t began = now_ms();
  EXPECT(TRANSFER_FAIL, mc.get_into(store, "0", buffers[0], SIZE));
  TRUE(now_ms() - began >= (real ? 25000 : 390));
  /* the real time is so long that the master gives the owner up: the batch needs an owner of its own */
  stop(node, SIGCONT);
  UNTIL(mc.is_exist(store, "0") == 0 || !real);
  for (int i = 0; i < 8; i++) UNTIL(put_block(store, names[i], SIZE, 1) == 0);
  stop(node, SIGSTOP);
  began = now_ms();
  EXPECT(0, mc.batch_get_into(store, names, buffers, sizes, 8, results));
  int64_t took = now_ms() - began;
  for (int i = 0; i < 8; i++) EXPECT(TRANSFER_FAIL, results[i]);
  TRUE(took >= (real ? 25000 : 390));
  TRUE(took < (real ? 100000 : 8 * 390)); /* once for all of them */
  UNTIL(mc.is_exist(store, "0") == 0);
  stop(node, SIGCONT);
  /* it mounts again by itself; a put that finds no space wakes the eviction, which may take the next one's value */
  UNTIL(put_block(store, "new", SIZE, 3) == 0 && get_block(store, "new", SIZE, 3) == SIZE);
  EXPECT(0, mc.is_exist(store, "0"));
}

static void frozen_owner_blocks_a_put_then_704_or_in_a_batch_800(void) {
  start_master(client_ttl(), NULL);
  pid_t node = start_node("64MB");
  shorten_waits();
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "old", SIZE, 1));
  void *large = bytes(LARGE, 1); /* now: a frozen owner is given up after a while, and then there is no space */
  stop(node, SIGSTOP);
  int64_t began = now_ms();
  EXPECT(OBJECT_NOT_FOUND, mc.put_from(store, "k", large, LARGE, NULL));
  TRUE(now_ms() - began >= (real ? 50000 : 3900));
  stop(node, SIGCONT);
  UNTIL(put_block(store, "new", SIZE, 3) == 0);
  EXPECT(0, mc.is_exist(store, "old"));
  EXPECT(0, mc.is_exist(store, "k"));
  stop(node, SIGSTOP);
  EXPECT(TRANSFER_FAIL, batch_put_one(store, "k", LARGE, NULL));
}

/* what fits into the sockets' buffers is on its way at once, and the owner's answer is waited for */
static void frozen_owner_blocks_a_small_put_as_long_as_a_get(void) {
  start_master(client_ttl(), NULL);
  pid_t node = start_node("64MB");
  shorten_waits();
  if (!real) standin.set("get_timeout_ms", 3000);
  if (!real) standin.set("put_timeout_ms", 60000);
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "old", SIZE, 1));
  stop(node, SIGSTOP);
  int64_t began = now_ms();
  EXPECT(OBJECT_NOT_FOUND, put_block(store, "k", SIZE, 1));
  int64_t took = now_ms() - began;
  TRUE(took >= (real ? 25000 : 2900) && took < (real ? 50000 : 30000));
}

static void thawed_owner_lets_a_get_go_on(void) {
  only_standin(); /* the real one resends by its own clock */
  start_master("--client_ttl=60", NULL);
  pid_t node = start_node("64MB");
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  stop(node, SIGSTOP);
  pid_t thaw = fork();
  if (thaw == 0) {
    pause_ms(300);
    kill(node, SIGCONT);
    _exit(0);
  }
  EXPECT(SIZE, get_block(store, "k", SIZE, 1));
  waitpid(thaw, NULL, 0);
}

/* ---- writers ---- */

static size_t slow_size(void) { return real ? 600 * MIB : 1000; }

static void put_slowly(void) {
  if (!real) standin.set("transfer_ms", 60000);
  store_t store = connect_with(0, 0);
  void *block = malloc(slow_size());
  memset(block, 1, slow_size());
  mc.put_from(store, "k", block, slow_size(), NULL);
}

static void killed_writer_leaves_its_key_in_flight(void) {
  start_master("--put_start_discard_timeout_sec=4", "--default_kv_lease_ttl=200", NULL);
  start_node("1GB");
  int64_t began = now_ms();
  pid_t peer = start_peer(put_slowly);
  store_t store = connect_with(0, 1 * MIB);
  char *into = malloc(slow_size());
  UNTIL(mc.get_into(store, "k", into, slow_size()) == REPLICA_IS_NOT_READY);
  stop(peer, SIGKILL);
  char block[1000] = {1};
  EXPECT(0, mc.put(store, "k", block, 1000, NULL));
  EXPECT(0, mc.put_from(store, "k", block, 1000, NULL));
  EXPECT(0, batch_put_one(store, "k", 1000, NULL));
  EXPECT(0, mc.is_exist(store, "k"));
  EXPECT(0, batch_exist_one(store, "k"));
  EXPECT(REPLICA_IS_NOT_READY, mc.get_into(store, "k", into, slow_size()));
  EXPECT(REPLICA_IS_NOT_READY, batch_get_one(store, "k", into, slow_size()));
  EXPECT(REPLICA_IS_NOT_READY, mc.get_size(store, "k"));
  EXPECT(REPLICA_IS_NOT_READY, mc.remove(store, "k", 0));
  EXPECT(REPLICA_IS_NOT_READY, mc.remove(store, "k", 1));
  EXPECT(0, mc.remove_by_regex(store, "^k$", 1));
  for (int exists = 0; exists == 0; pause_ms(20)) {
    TRUE(now_ms() - began < 60000);
    EXPECT(0, put_block(store, "k", 1000, 2));
    exists = mc.is_exist(store, "k");
  }
  TRUE(now_ms() - began >= 4000);
  EXPECT(1000, get_block(store, "k", 1000, 2));
}

static void put_and_remove_for_ever(void) {
  store_t store = connect_with(0, 0);
  for (unsigned i = 0;; i++) {
    char name[32];
    snprintf(name, sizeof name, "%d-%u", (int)getpid(), i % 7);
    put_block(store, name, 3000, i % 7);
    mc.is_exist(store, name);
    mc.remove(store, name, 1);
    board->step++;
  }
}

static void clients_that_are_killed_anywhere_harm_nobody(void) {
  start_master("--put_start_discard_timeout_sec=1", NULL);
  start_node("64MB");
  share_board();
  pid_t peers[40];
  for (int i = 0; i < 40; i++) peers[i] = real && i >= 3 ? 0 : start_peer(put_and_remove_for_ever);
  store_t store = connect_with(0, 0);
  for (int i = 0; i < 40 && peers[i] != 0; i++) {
    int before = board->step;
    UNTIL(board->step > before + 10);
    stop(peers[i], SIGKILL);
    EXPECT(0, put_block(store, "k", SIZE, (unsigned)i));
    EXPECT(SIZE, get_block(store, "k", SIZE, (unsigned)i));
    EXPECT(0, mc.remove(store, "k", 1));
  }
  TRUE(mc.remove_all(store, 1) >= 0);
  if (real) return;
  /* nothing is left but puts in flight, and the space is theirs */
  EXPECT(0, standin.master_get(address, "keys"));
  EXPECT(3000 * standin.master_get(address, "writing"), standin.master_get(address, "used"));
}

static void die_while_putting_and_removing(void) {
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "l", 2000, 1));
  standin.set("die_at", board->step);
  put_block(store, "k", 3000, 1);
  mc.remove(store, "k", 1);
  mc.remove(store, "l", 1);
}

static void index_is_whole_after_a_kill_at_any_step(void) {
  only_standin();
  start_master(NULL);
  start_node("16MB");
  share_board();
  address = strdup(address);
  int steps = 0;
  for (bool died = true; died; steps++) {
    board->step = steps + 1;
    died = WIFSIGNALED(end_of(start_peer(die_while_putting_and_removing)));
    store_t store = connect_with(0, 0);
    EXPECT(0, put_block(store, "m", 4000, 2));
    EXPECT(4000, get_block(store, "m", 4000, 2));
    int64_t k = mc.get_size(store, "k"), l = mc.get_size(store, "l");
    int64_t writing = standin.master_get(address, "writing");
    TRUE(k == 3000 || k == OBJECT_NOT_FOUND || (k == REPLICA_IS_NOT_READY && writing == 1));
    TRUE(l == 2000 || l == OBJECT_NOT_FOUND);
    EXPECT(4000 + 3000 * (k == 3000) + 2000 * (l == 2000) + 3000 * writing, standin.master_get(address, "used"));
    EXPECT(1 + (k == 3000) + (l == 2000), standin.master_get(address, "keys"));
    EXPECT(0, standin.master_set(address, "discard_ms", 0) < 0);
    if (k != 3000) EXPECT(0, put_block(store, "k", 3000, 3)); /* in flight no more */
    if (k != 3000) EXPECT(3000, get_block(store, "k", 3000, 3));
    EXPECT(2 + (l == 2000), mc.remove_all(store, 1));
    EXPECT(0, standin.master_get(address, "used"));
    mc.destroy(store);
  }
  TRUE(steps > 10);
}

/* ---- masters ---- */

static void killed_master_is_900_and_restarted_has_lost_all(void) {
  start_master(NULL);
  start_node("64MB");
  shorten_waits();
  store_t store = connect_with(0, 0), owner = connect_with(64 * MIB, 0);
  char *into = malloc(SIZE);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  stop(master_pid, SIGKILL);
  int64_t began = now_ms();
  EXPECT(RPC_FAIL, mc.is_exist(store, "k"));
  TRUE(now_ms() - began < (real ? 3000 : 900));
  began = now_ms();
  EXPECT(RPC_FAIL, mc.get_into(store, "k", into, SIZE));
  TRUE(now_ms() - began >= (real ? 3900 : 1000));
  if (!real) standin.set("down_delay_ms", 50);
  EXPECT(RPC_FAIL, put_block(store, "l", SIZE, 1));
  EXPECT(RPC_FAIL, mc.get_size(store, "k"));
  EXPECT(RPC_FAIL, mc.remove(store, "k", 0));
  EXPECT(RPC_FAIL, mc.remove_by_regex(store, "^k$", 0));
  EXPECT(RPC_FAIL, batch_exist_one(store, "k"));
  EXPECT(RPC_FAIL, batch_get_one(store, "k", into, SIZE));
  EXPECT(RPC_FAIL, batch_put_one(store, "l", SIZE, NULL));
  EXPECT(0, mc.health_check(store)); /* a client without a segment never notices */
  UNTIL(mc.health_check(owner) == 2);
  start_master(NULL);
  EXPECT(0, mc.is_exist(store, "k"));
  UNTIL(put_block(store, "k", SIZE, 2) == 0 && get_block(store, "k", SIZE, 2) == SIZE);
  UNTIL(mc.health_check(owner) == 0);
  stop(master_pid, SIGKILL);
  mc.destroy(store); /* does not hang */
}

static void frozen_master_is_901(void) {
  setenv("MC_RPC_TIMEOUT_MS", "1000", 1);
  start_master(NULL);
  start_node("64MB");
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", SIZE, 1));
  stop(master_pid, SIGSTOP);
  pause_ms(50);
  int64_t began = now_ms();
  EXPECT(RPC_TIMEOUT, mc.is_exist(store, "k"));
  TRUE(now_ms() - began >= 900);
  stop(master_pid, SIGCONT);
  UNTIL(mc.is_exist(store, "k") == 1);
}

/* What the master's HTTP port says to a GET. */
static const char *http_get(const char *path) {
  static char text[65536];
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)http_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  TRUE(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
  snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
  TRUE(write(fd, text, strlen(text)) > 0);
  size_t length = 0;
  for (ssize_t got = 1; got > 0 && length < sizeof text - 1; length += (size_t)got) {
    got = read(fd, text + length, sizeof text - 1 - length);
    if (got < 0) got = 0;
  }
  text[length] = 0;
  close(fd);
  return text;
}

/* The figure on a line that begins with its name, -1: there is none. */
static int64_t figure(const char *page, const char *name) {
  char line[128];
  snprintf(line, sizeof line, "\n%s ", name);
  const char *at = strstr(page, line);
  return at == NULL ? -1 : (int64_t)strtod(at + strlen(line), NULL);
}

static void master_tells_keys_and_bytes_over_http(void) {
  start_master(NULL);
  start_node("64MB");
  store_t store = connect_with(0, 0);
  EXPECT(0, put_block(store, "k", 1000000, 1));
  EXPECT(0, put_block(store, "l", 1000000, 1));
  TRUE(strstr(http_get("/health"), "200 OK") != NULL);
  UNTIL(figure(http_get("/metrics"), "master_key_count") == 2);
  const char *page = http_get("/metrics");
  EXPECT(64 * (int64_t)MIB, figure(page, "master_total_capacity_bytes"));
  TRUE(figure(page, "master_allocated_bytes") >= 2000000);
  TRUE(figure(page, "master_allocated_bytes") < 3000000);
  TRUE(strstr(http_get("/nowhere"), "404") != NULL);
}

/* ---- threads ---- */

static store_t contended;

static void *put_get_remove(void *number) {
  unsigned seed = (unsigned)(uintptr_t)number;
  char *into = malloc(SIZE);
  for (unsigned i = 0; i < 200; i++) {
    char own[32], all[32];
    snprintf(own, sizeof own, "own-%u-%u", seed, i);
    snprintf(all, sizeof all, "all-%u", i % 5);
    EXPECT(0, put_block(contended, own, 5000 + seed, seed));
    EXPECT(5000 + seed, get_block(contended, own, 5000 + seed, seed));
    EXPECT(0, put_block(contended, all, 5000, 77));
    int64_t size = mc.get_into(contended, all, into, SIZE);
    TRUE(size == 5000 || size == OBJECT_NOT_FOUND || size == REPLICA_IS_NOT_READY);
    EXPECT(0, mc.remove(contended, own, 1));
    int rc = mc.remove(contended, all, 1);
    TRUE(rc == 0 || rc == OBJECT_NOT_FOUND || rc == REPLICA_IS_NOT_READY);
  }
  free(into);
  return NULL;
}

static void eight_threads_share_a_handle(void) {
  start_master(NULL);
  start_node("64MB");
  contended = connect_with(0, 0);
  pthread_t threads[8];
  for (uintptr_t i = 0; i < 8; i++) pthread_create(&threads[i], NULL, put_get_remove, (void *)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  TRUE(mc.remove_all(contended, 1) <= 5);
  mc.destroy(contended);
}

const struct row rows_of_crashes[] = {
    ROW(processes_see_each_others_keys_at_once),
    ROW(destroyed_owner_takes_its_keys_with_it),
    ROW(exit_without_destroy_takes_the_keys_too),
    ROW(preferred_segments_are_honoured),
    ROW(values_spread_over_the_segments),
    ROW(replicas_lie_in_different_segments),
    ROW(get_reads_the_own_replica_or_else_the_first),
    ROW(killed_owner_is_800_then_a_miss),
    ROW(frozen_owner_blocks_a_get_then_800),
    ROW(frozen_owner_blocks_a_put_then_704_or_in_a_batch_800),
    ROW(frozen_owner_blocks_a_small_put_as_long_as_a_get),
    ROW(thawed_owner_lets_a_get_go_on),
    ROW(killed_writer_leaves_its_key_in_flight),
    ROW(clients_that_are_killed_anywhere_harm_nobody),
    ROW(index_is_whole_after_a_kill_at_any_step),
    ROW(killed_master_is_900_and_restarted_has_lost_all),
    ROW(frozen_master_is_901),
    ROW(master_tells_keys_and_bytes_over_http),
    ROW(eight_threads_share_a_handle),
    {NULL, NULL},
};
