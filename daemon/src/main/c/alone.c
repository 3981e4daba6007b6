/*
 * Makes the call in its own JVM ("ocicat plugin <name>").
 *
 * A JVM takes a core for a fifth of a second, so thirty at once would each take seconds, and time out together: two for
 * each core run at a time, and the others wait for a place as long as their own time allows. A place is the lock on one
 * byte of a file, which goes with the process that holds it.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACES_PER_CORE 2

/* The part of its time that a call keeps for itself: a call without a place by then starts without one. */
#define OWN_PART 3

/* The folder that holds this file, or, for a copy, the folder that the link ".ocicat" next to it names. */
int find_launcher(char *launcher) {
  char self[PATH_MAX], home[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return 0;
  self[length] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return 0;
  *slash = 0;
  if (snprintf(launcher, PATH_MAX, "%s/../bin/ocicat", self) < PATH_MAX && access(launcher, X_OK) == 0) return 1;
  if (snprintf(launcher, PATH_MAX, "%s/.ocicat", self) >= PATH_MAX) return 0;
  length = readlink(launcher, home, sizeof home - 1);
  if (length <= 0) return 0;
  home[length] = 0;
  return snprintf(launcher, PATH_MAX, "%s/bin/ocicat", home) < PATH_MAX && access(launcher, X_OK) == 0;
}

/* Whether nobody else can write to the run directory; created if it is missing and make is set. */
int run_directory_is_ours(int make) {
  struct stat found;
  if (make) mkdir(run_directory(), 0700);
  return lstat(run_directory(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 022) == 0;
}

/* What was read from stdin must be readable again. */
static void give_stdin_back(void) {
  int file = memfd_create("stdin", 0);
  if (file < 0) return;
  write_all(file, request_stdin, stdin_length);
  lseek(file, 0, SEEK_SET);
  dup2(file, 0);
  close(file);
}

static int take_place(int file, int places) {
  for (int i = 0; i < places; i++) {
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = i, .l_len = 1};
    if (fcntl(file, F_OFD_SETLK, &byte) == 0) return 1;
    if (errno != EAGAIN && errno != EACCES) return 1;
  }
  return 0;
}

/* The descriptor stays open in the JVM, and with it the lock, until it ends. */
static void wait_for_a_place(void) {
  char path[PATH_MAX];
  /* The caller may be such a JVM, and waits for us. */
  if (getenv("OCICAT_WITHIN") || !run_file(path, sizeof path, "one-shot.lock") || !run_directory_is_ours(1)) return;
  int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t last = deadline - limit_millis() / OWN_PART;
  while (!take_place(file, (cores > 0 ? cores : 1) * PLACES_PER_CORE) && now() < last) {
    pause_millis(20);
  }
}

/* Passes on this call's deadline, by the clock of Java's nanoTime. */
static void give_deadline(void) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)deadline * 1000000);
  setenv("OCICAT_CALL_DEADLINE", text, 1);
}

void do_it_alone(char **arguments) {
  static char launcher[PATH_MAX];
  char *call[64] = {"ocicat", "plugin", (char *)plugin};
  int count = 3;
  while (arguments && *arguments && count < 63) call[count++] = *arguments++;
  if (!find_launcher(launcher)) {
    fail(5, "ocicatd does not answer, and bin/ocicat was not found",
         "searched for ../bin/ocicat and for the link .ocicat next to this executable: run ocicat install");
  }
  if (stdin_length > 0) give_stdin_back();
  if (*command) {
    wait_for_a_place();
    give_deadline();
  }
  execv(launcher, call);
  fail(5, "ocicatd does not answer, and bin/ocicat cannot be started", strerror(errno));
}
