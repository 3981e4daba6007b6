/*
 * Holds the namespaces of a pod, and is the first process in its PID namespace: collects what other processes leave
 * when they end, and ends itself when told to. The kernel ignores signals to such a process unless it handles them.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int number) {
  (void)number;
  _exit(0);
}

static void collect(int number) {
  (void)number;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

static int handle(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  return sigaction(number, &action, 0);
}

int main(void) {
  if (handle(SIGTERM, end, 0) || handle(SIGINT, end, 0) || handle(SIGCHLD, collect, SA_NOCLDSTOP | SA_RESTART)) {
    return 1;
  }
  for (;;) {
    pause();
  }
}
