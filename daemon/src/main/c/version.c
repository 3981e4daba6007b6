/*
 * VERSION, which needs neither a daemon nor a JVM: runtimes ask it of each plugin, some before every call.
 * ShimVersionTest compares this table with what the plugins say.
 */
#include "shim.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FROM_0_4 "\"0.4.0\",\"1.0.0\",\"1.1.0\""
#define FROM_0_3 "\"0.3.0\",\"0.3.1\"," FROM_0_4
#define ALL "\"0.1.0\",\"0.2.0\"," FROM_0_3

/* How long a caller that writes to stdin may take to do so. */
#define QUESTION_MILLIS 1000
#define MAX_QUESTION (64 << 10)

static const struct {
  const char *plugin, *versions;
} table[] = {
    {"bandwidth", FROM_0_3}, {"bridge", ALL},     {"calico", ALL},   {"calico-ipam", ALL}, {"firewall", FROM_0_4},
    {"flannel", ALL},        {"host-local", ALL}, {"ipam", ALL},     {"loopback", ALL},    {"macvlan", ALL},
    {"portmap", ALL},        {"ptp", ALL},        {"static", ALL},   {"tuning", ALL},
};

/* Reads the caller's stdin until it is complete, but never waits for a terminal or for a pipe without a writer. */
static void read_question(void) {
  int64_t until = now() + QUESTION_MILLIS;
  while (stdin_length < MAX_QUESTION && !isatty(0)) {
    struct pollfd readable = {.fd = 0, .events = POLLIN};
    int64_t left = until - now();
    int ready = left > 0 ? poll(&readable, 1, left) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;
    ssize_t got = read(0, request_stdin + stdin_length, MAX_QUESTION - stdin_length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    stdin_length += got;
  }
}

/* The caller's version, if it sends one; the specification requires it in the reply. Only digits and dots are kept. */
static int asked_version(char *version, size_t size) {
  static const char member[] = "\"cniVersion\"";
  request_stdin[stdin_length] = 0;
  const char *at = strstr(request_stdin, member);
  if (!at) return 0;
  at += sizeof member - 1;
  at += strspn(at, " \t\r\n");
  if (*at++ != ':') return 0;
  at += strspn(at, " \t\r\n");
  if (*at++ != '"') return 0;
  size_t length = strspn(at, "0123456789.");
  if (length == 0 || length >= size || at[length] != '"') return 0;
  memcpy(version, at, length);
  version[length] = 0;
  return strspn(version, ".") == 0 && strchr(version, '.') != NULL;
}

void answer_version(void) {
  const char *versions = NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].plugin, plugin) == 0) versions = table[i].versions;
  }
  if (!versions) return;
  char version[16], text[256];
  read_question();
  if (!asked_version(version, sizeof version)) strcpy(version, "1.1.0");
  int length =
      snprintf(text, sizeof text, "{\"cniVersion\":\"%s\",\"supportedVersions\":[%s]}\n", version, versions);
  write_all(1, text, length);
  exit(0);
}
