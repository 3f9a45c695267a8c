/*
 * The processes beside a test's own, as programs with the flags of mooncake_master and mooncake_client that the tests
 * use. The name under which it is started tells which:
 *
 *   standin_master  the master at --rpc_address:--rpc_port; while it is dead or stopped, so is the master; with
 *                   --metrics_port it answers /health and the figures of /metrics that Kvasir reads
 *   standin_client  a storage node: mounts --global_segment_size at --master_server_address
 *
 * Each prints "ready" when it can be used, and ends by SIGTERM, SIGINT, or with the process that started it.
 */
#define _GNU_SOURCE
#include "master.h"
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static char **flags;

/* The value of --name=value, or of an unknown flag nothing: what the real program has and the tests do not use. */
static const char *flag(const char *name, const char *otherwise) {
  for (char **at = flags; *at != NULL; at++) {
    size_t length = strlen(name);
    if (strncmp(*at, "--", 2) == 0 && strncmp(*at + 2, name, length) == 0 && (*at)[2 + length] == '=') {
      return *at + 3 + length;
    }
  }
  return otherwise;
}

/* "5s", "5000ms" or a plain number of units of unit_ms */
static int64_t milliseconds(const char *text, int64_t unit_ms) {
  char *end;
  double value = strtod(text, &end);
  if (strcmp(end, "ms") == 0) unit_ms = 1;
  if (strcmp(end, "s") == 0) unit_ms = 1000;
  return (int64_t)(value * (double)unit_ms);
}

static uint64_t bytes(const char *text) {
  char *end;
  double value = strtod(text, &end);
  const char *const units[] = {"b", "kb", "mb", "gb"};
  uint64_t scale = 1;
  for (int i = 0; i < 4; i++, scale *= 1024) {
    if (strcasecmp(end, units[i]) == 0) return (uint64_t)(value * (double)scale);
  }
  return (uint64_t)value;
}

static void wait_for_end(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pid_t parent = getppid();
  puts("ready");
  fflush(stdout);
  struct timespec tick = {0, 200000000};
  while (sigtimedwait(&ends, NULL, &tick) < 0 && getppid() == parent) {
  }
}

static void set(const char *name, const char *text, int64_t unit_ms) {
  if (text != NULL) standin_set(name, milliseconds(text, unit_ms));
}

/* ---- the master ---- */

static char address[256];

static void answer(int connection) {
  char request[4096] = "", body[512], head[256];
  if (read(connection, request, sizeof request - 1) <= 0) return;
  bool metrics = strncmp(request, "GET /metrics ", 13) == 0, health = strncmp(request, "GET /health ", 12) == 0;
  if (metrics) {
    snprintf(body, sizeof body,
             "# TYPE master_allocated_bytes gauge\nmaster_allocated_bytes %lld\n"
             "# TYPE master_total_capacity_bytes gauge\nmaster_total_capacity_bytes %lld\n"
             "# TYPE master_key_count gauge\nmaster_key_count %lld\n",
             (long long)standin_master_get(address, "used"), (long long)standin_master_get(address, "capacity"),
             (long long)standin_master_get(address, "keys"));
  } else {
    snprintf(body, sizeof body, health ? "{\"status\":\"ok\"}" : "not there");
  }
  snprintf(head, sizeof head, "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
           metrics || health ? "200 OK" : "404 Not Found", strlen(body));
  bool sent = send(connection, head, strlen(head), MSG_NOSIGNAL) > 0;
  if (sent) send(connection, body, strlen(body), MSG_NOSIGNAL);
}

static void *serve(void *listening) {
  for (;;) {
    int connection = accept(*(int *)listening, NULL, NULL);
    if (connection < 0) continue;
    answer(connection);
    close(connection);
  }
  return NULL;
}

static bool serve_http(const char *port) {
  static int listening;
  int yes = 1;
  struct sockaddr_in at = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  pthread_t thread;
  return bind(listening, (struct sockaddr *)&at, sizeof at) == 0 && listen(listening, 8) == 0 &&
         pthread_create(&thread, NULL, serve, &listening) == 0;
}

static int run_master(void) {
  snprintf(address, sizeof address, "%s:%s", flag("rpc_address", "127.0.0.1"), flag("rpc_port", "50051"));
  set("lease_ms", flag("default_kv_lease_ttl", NULL), 1);
  set("discard_ms", flag("put_start_discard_timeout_sec", NULL), 1000);
  set("client_ttl_ms", flag("client_ttl", NULL), 1000);
  const char *from = flag("eviction_high_watermark_ratio", NULL), *step = flag("eviction_ratio", NULL);
  if (from != NULL) standin_set("evict_from", (int64_t)(atof(from) * 100 + 0.5));
  if (step != NULL) standin_set("evict_step", (int64_t)(atof(step) * 100 + 0.5));
  struct master master;
  if (!master_open(&master, address, 0) || master_lock(&master, 30000) != 0) return 1;
  master_restart(&master, this_process(), 0);
  for (int i = 0; i < MASTER_SETTINGS; i++) {
    master.shared->settings[i] = standin_get(master_setting_names[i]);
  }
  master_unlock(&master);
  const char *http = flag("metrics_port", NULL);
  if (http != NULL && !serve_http(http)) {
    fprintf(stderr, "standin_master: --metrics_port=%s cannot be listened on\n", http);
    return 1;
  }
  wait_for_end();
  return 0;
}

/* ---- the storage node ---- */

static int run_client(void) {
  standin_set("evict", 0); /* eviction is the master's work; and a stopped node must not be stopped within it */
  store_t store = mooncake_store_create();
  const char *host = flag("host", "127.0.0.1");
  int rc = mooncake_store_setup(store, host, flag("metadata_server", "P2PHANDSHAKE"),
                                bytes(flag("global_segment_size", "512MB")), 0, flag("protocol", "tcp"), "",
                                flag("master_server_address", "127.0.0.1:50051"));
  if (rc != 0) {
    fprintf(stderr, "standin_client: setup: %d\n", rc);
    return 1;
  }
  char name[128];
  mooncake_store_get_hostname(store, name, sizeof name);
  printf("segment %s\n", name);
  wait_for_end();
  mooncake_store_destroy(store);
  return 0;
}

int main(int count, char **arguments) {
  (void)count;
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, NULL); /* wait_for_end takes them; threads inherit the mask */
  flags = arguments + 1;
  const char *slash = strrchr(arguments[0], '/'), *program = slash == NULL ? arguments[0] : slash + 1;
  if (strcmp(program, "standin_master") == 0) return run_master();
  if (strcmp(program, "standin_client") == 0) return run_client();
  fprintf(stderr, "%s: neither standin_master nor standin_client\n", program);
  return 2;
}
