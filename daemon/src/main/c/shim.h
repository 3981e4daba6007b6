/* What the parts of the shim share. The frames are described in io.ocicat.daemon.wire. */
#ifndef OCICAT_SHIM_H
#define OCICAT_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* One byte more than a request may have, so that the reader sees that it is too long. */
#define MAX_STDIN ((4 << 20) + 1)
#define MAX_ENVIRONMENT (1 << 20)
#define MAX_REPLY (8 << 20)

/* How long a daemon that is being replaced may refuse connections, and how long a working one may be silent. */
#define REFUSED_MILLIS 300
#define SILENT_MILLIS 5000

/* The call: plugin, verb, stdin and deadline (milliseconds of CLOCK_MONOTONIC). */
extern const char *plugin;
extern const char *command;
extern char request_stdin[MAX_STDIN];
extern size_t stdin_length;
extern int64_t deadline;

int64_t now_nanos(void);
int64_t now(void);
void pause_millis(int64_t millis);
int is(const char *verb);
int64_t limit_millis(void);
void write_all(int fd, const char *bytes, size_t length);
/* Prints an error of the protocol and exits. The reasons are ours and need no escaping. */
void fail(int code, const char *message, const char *details) __attribute__((noreturn));

/* version.c: answers VERSION, unless there is no plugin of that name. */
void answer_version(void);

/* daemon.c: the daemon's socket, and one call over it. */
enum outcome {
  COMPLETE,
  REFUSED,
  /* It cannot have begun: the kernel reports a reset only while part of the request has not been read. */
  NOT_BEGUN,
  /* The daemon ended in the middle of it. */
  ENDED,
  /* It has stopped replying, and may still be working. */
  SILENT,
};
const char *run_directory(void);
/* Writes <run directory>/<name>; returns 0 when that is too long for a path. */
int run_file(char *path, size_t size, const char *name);
/* Returns a connection or -1, with errno. */
int connect_once(void);
int connect_to_daemon(void);
/* Prints the reply and exits, unless there is none. */
enum outcome ask(int daemon);

/* ondemand.c */
enum start {
  STARTED,
  /* Another process of this machine is starting one, or ends one: connect again. */
  SOMEBODY_ELSE_DOES,
  /* Not here, not now, or not wanted. */
  NO_START,
};
enum start start_daemon(int attempt);
int is_starting(void);

/* alone.c */
int find_launcher(char *launcher);
/* Makes the same call in its own JVM. */
void do_it_alone(char **arguments) __attribute__((noreturn));
int run_directory_is_ours(int make);

#endif
