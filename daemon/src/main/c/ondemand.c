/*
 * Starts a daemon on demand: where none runs, the first call starts one, which ends after some idle minutes.
 *
 * There are never two: the process that starts one holds the lock that every daemon holds for its life, and hands over
 * the lock and the socket that it has already created. So other callers queue in that socket while the JVM starts, and
 * when the JVM dies at any moment socket and lock go with it: queued callers are reset, and start another one, or make
 * the call without.
 *
 * It stays in the caller's network namespace: a run directory belongs to one node, and from there the node's datastore is
 * reached, as a call without a daemon reaches it.
 *
 * None is started where it would not serve later callers (another mount namespace or root directory than that of
 * the machine's first process), where others could reach what it keeps (the run directory is not ours alone), for anybody
 * but root, while the machine goes down, or where it is not wanted: OCICAT_ON_DEMAND=0, or a file ".ocicat-no-on-demand"
 * next to the executable, which "ocicat install --no-on-demand" puts there.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_HANDED_OVER 3
#define BACKLOG 65535

int is_starting(void) {
  char path[PATH_MAX];
  return run_file(path, sizeof path, "starting") && access(path, F_OK) == 0;
}

static int is_switched_off(void) {
  const char *choice = getenv("OCICAT_ON_DEMAND");
  if (choice && strcmp(choice, "0") == 0) return 1;
  char self[PATH_MAX], mark[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return 1;
  self[length] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return 1;
  *slash = 0;
  return snprintf(mark, sizeof mark, "%s/.ocicat-no-on-demand", self) >= (int)sizeof mark || access(mark, F_OK) == 0;
}

static int is_same_file(const char *one, const char *other) {
  struct stat a, b;
  if (stat(one, &a) != 0) return 0;
  /* We may not read it: then that process is in another namespace than this one. */
  if (stat(other, &b) != 0) return errno == EACCES || errno == EPERM;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int would_serve_others(void) {
  return is_same_file("/proc/self/ns/mnt", "/proc/1/ns/mnt") && is_same_file("/", "/proc/1/root");
}

static int is_wanted(char *launcher) {
  char mark[PATH_MAX];
  return geteuid() == 0 && *command && !is_switched_off() && would_serve_others() && find_launcher(launcher) &&
         run_directory_is_ours(1) && run_file(mark, sizeof mark, "shutting-down") && access(mark, F_OK) != 0;
}

/* Returns the lock, or -1 with EWOULDBLOCK when another process has it. */
static int lock_for_life(void) {
  char path[PATH_MAX];
  if (!run_file(path, sizeof path, "ocicatd.lock")) return -1;
  int file = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  int why = errno;
  close(file);
  errno = why;
  return -1;
}

/* Listens before the socket has its final name, so that nobody finds one without a listener. */
static int listen_in_place(void) {
  struct sockaddr_un draft = {.sun_family = AF_UNIX}, place;
  char name[32];
  snprintf(name, sizeof name, ".starting-%d", (int)getpid());
  if (!run_file(draft.sun_path, sizeof draft.sun_path, name)) return -1;
  if (!run_file(place.sun_path, sizeof place.sun_path, "ocicatd.sock")) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  unlink(draft.sun_path);
  mode_t mask = umask(0177);
  int bound = bind(fd, (struct sockaddr *)&draft, sizeof draft);
  umask(mask);
  if (bound == 0 && listen(fd, BACKLOG) == 0 && rename(draft.sun_path, place.sun_path) == 0) return fd;
  unlink(draft.sun_path);
  close(fd);
  return -1;
}

static void mark_starting(int starting) {
  char path[PATH_MAX];
  if (!run_file(path, sizeof path, "starting")) return;
  if (!starting) {
    unlink(path);
    return;
  }
  int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
}

/* Only what a daemon reads: the rest belongs to this call. */
static void keep_environment(char **kept, int most) {
  static const char *const names[] = {"PATH",           "HOME",
                                      "OCICAT_RUN_DIR", "OCICAT_STATE_DIR",
                                      "NETCONFPATH",    "OCICAT_ON_DEMAND_IDLE",
                                      "OCICAT_CNI_CACHE_DIR", "OCICAT_CNI_CONF_DIR"};
  int count = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = getenv(names[i]);
    if (i == 0 && (!value || !*value)) value = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    if (value && count < most - 1 && asprintf(&kept[count], "%s=%s", names[i], value) > 0) count++;
  }
  kept[count] = NULL;
}

static void close_all_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (int fd = first; fd < 65536; fd++) close(fd);
}

/* Its output goes to a file, because the runtime waits until every process has closed its pipe. */
static void redirect_output(void) {
  char path[PATH_MAX];
  const char *state = getenv("OCICAT_STATE_DIR");
  if (!state || !*state) state = "/var/lib/ocicat";
  mkdir(state, 0700);
  int nothing = open("/dev/null", O_RDWR);
  int log = snprintf(path, sizeof path, "%s/on-demand.log", state) < (int)sizeof path
                ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0600)
                : -1;
  dup2(nothing, 0);
  dup2(nothing, 1);
  dup2(log < 0 ? nothing : log, 2);
}

/* Does not return. */
static void become_daemon(char *launcher, int listener, int lock, int attempt) {
  char pid[32];
  char *environment[16];
  keep_environment(environment, 12);
  int count = 0;
  while (environment[count]) count++;
  snprintf(pid, sizeof pid, "LISTEN_PID=%d", (int)getpid());
  environment[count++] = pid;
  environment[count++] = "LISTEN_FDS=2";
  environment[count++] = "LISTEN_FDNAMES=ocicatd.sock:ocicatd.lock";
  environment[count] = NULL;

  setsid();
  redirect_output();
  if (chdir("/") != 0) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  /* First out of each other's way, then to the numbers at which the daemon expects them. */
  int moved[] = {fcntl(listener, F_DUPFD, 16), fcntl(lock, F_DUPFD, 16)};
  dup2(moved[0], FIRST_HANDED_OVER);
  dup2(moved[1], FIRST_HANDED_OVER + 1);
  close_all_from(FIRST_HANDED_OVER + 2);

  char *direct[] = {"ocicat", "daemon", "--on-demand", NULL};
  /* In its own control group, so that it does not end with the service or the session that called us. */
  char *scope[] = {"systemd-run", "--scope", "--quiet", "--collect", "--slice=system.slice", "--", launcher,
                   "daemon", "--on-demand", NULL};
  if (attempt == 0 && access("/run/systemd/system", F_OK) == 0) execvpe("systemd-run", scope, environment);
  execve(launcher, direct, environment);
  _exit(127);
}

enum start start_daemon(int attempt) {
  static char launcher[PATH_MAX];
  if (!is_wanted(launcher)) return NO_START;
  int lock = lock_for_life();
  if (lock < 0) return errno == EWOULDBLOCK ? SOMEBODY_ELSE_DOES : NO_START;
  int there = connect_once();
  if (there >= 0) {
    close(there);
    close(lock);
    return STARTED;
  }
  mark_starting(1);
  int listener = listen_in_place();
  pid_t child = listener < 0 ? -1 : fork();
  if (child == 0) become_daemon(launcher, listener, lock, attempt);
  if (child < 0) mark_starting(0);
  if (listener >= 0) close(listener);
  close(lock);
  return child < 0 ? NO_START : STARTED;
}
