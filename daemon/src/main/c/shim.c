/*
 * A CNI plugin: the one whose name this file has.
 *
 * Hands the call to ocicatd and prints its reply. Knows nothing of networks. When no daemon runs, one is started
 * (ondemand.c) that ends by itself; where that is not possible, or the daemon declines, a JVM is started for this one
 * call (alone.c, "ocicat plugin <name>"), so that nothing depends on the daemon.
 */
#include "shim.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* With less time left an ADD is not repeated: its caller would not see its end. */
#define SHORTEST_ADD_MILLIS 5000

#define UNDONE_LATER "what it had done is undone by DEL, by GC, or when it starts again"

/* Untouched pages cost nothing. */
char request_stdin[MAX_STDIN];
size_t stdin_length;
const char *plugin;
const char *command;
int64_t deadline;

int64_t now_nanos(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int64_t now(void) { return now_nanos() / 1000000; }

void pause_millis(int64_t millis) {
  struct timespec pause = {.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

int is(const char *verb) { return strcmp(command, verb) == 0; }

/* Well within what kubelet (2 minutes) and others allow. */
int64_t limit_millis(void) {
  if (is("ADD")) return 60000;
  if (is("DEL") || is("CHECK")) return 30000;
  if (is("GC")) return 60000;
  return 10000;
}

void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    length -= written;
  }
}

void fail(int code, const char *message, const char *details) {
  char text[1024];
  int length = snprintf(text, sizeof text,
                        "{\n    \"cniVersion\": \"1.1.0\",\n    \"code\": %d,\n    \"msg\": \"%s\",\n"
                        "    \"details\": \"%s\"\n}\n",
                        code, message, details);
  write_all(1, text, length);
  exit(1);
}

static void read_stdin(void) {
  while (stdin_length < MAX_STDIN) {
    ssize_t got = read(0, request_stdin + stdin_length, MAX_STDIN - stdin_length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    stdin_length += got;
  }
}

/*
 * Gives the call a unique id. It goes into the records of the call, and a later attempt at the same call repeats it: so
 * the process that serves the later attempt finds what the first one did without a reply, and undoes it. Variables of a
 * call that this one is part of mean nothing here.
 */
static void name_call(void) {
  uint64_t random[2];
  char name[40];
  if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    random[0] = now_nanos();
    random[1] = getpid();
  }
  snprintf(name, sizeof name, "%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
  setenv("OCICAT_CALL_ID", name, 1);
  unsetenv("OCICAT_CALL_AGAIN");
  unsetenv("OCICAT_CALL_DEADLINE");
}

/* Calico's executables have options of their own, which count whatever CNI_COMMAND says; a call has no arguments. */
static int is_for_people(int argc, char **argv) {
  return argc > 1 && (!*command || (argv[1][0] == '-' && strncmp(plugin, "calico", 6) == 0));
}

int main(int argc, char **argv) {
  const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
  plugin = slash ? slash + 1 : argc > 0 ? argv[0] : "";
  command = getenv("CNI_COMMAND");
  if (!command) command = "";
  deadline = now() + limit_millis();
  if (is_for_people(argc, argv)) do_it_alone(argv + 1);
  if (is("VERSION")) answer_version();
  /* Neither the question for the version nor none at all has a use for stdin, which may be a terminal. */
  if (*command && !is("VERSION")) read_stdin();

  name_call();

  /*
   * A daemon that is being replaced resets callers that are still in its queue, and a kill ends the calls in progress:
   * the next daemon is already there, or is started. A call that ends one daemon after the other is made without any.
   */
  for (int attempt = 0, ended = 0; attempt < 3 && ended < 2; attempt++) {
    int daemon = connect_to_daemon();
    if (daemon < 0) break;
    enum outcome outcome = ask(daemon);
    close(daemon);
    if (outcome == NOT_BEGUN) continue;
    if (outcome == REFUSED) break;
    if (outcome == SILENT) {
      /* It may still be at work, and all but ADD may be done beside it. */
      if (is("ADD")) fail(11, "ocicatd has not said anything for five seconds, try again", UNDONE_LATER);
      break;
    }
    ended++;
    setenv("OCICAT_CALL_AGAIN", "1", 1);
    if (is("ADD") && deadline - now() < SHORTEST_ADD_MILLIS) {
      fail(11, "ocicatd ended before it had answered, try again", UNDONE_LATER);
    }
  }
  do_it_alone(NULL);
}
