/*
 * Stands for a plugin's executable in tests: lets the process that listens at FORWARD_TO serve the call, and answers
 * what that says. Starting a JVM for each of the thousands of calls of a conformance run would take half an hour.
 *
 * To the other side go: process id, descriptor of CNI_NETNS (or -1), descriptor of stdin (0, or -1 when it is
 * closed), name, environment as NUL-terminated texts with an empty one at the end, stdin. Back come a byte, the exit
 * code; stderr, NUL-terminated; stdout.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what) {
  perror(what);
  exit(70);
}

static void put(int to, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL);
    if (sent < 0) {
      /* Who has heard enough answers without the rest. */
      if (errno == EPIPE || errno == ECONNRESET) {
        return;
      }
      fail("send");
    }
    bytes += sent;
    length -= (size_t)sent;
  }
}

static void put_number(int to, int number) {
  char text[16];
  put(to, text, (size_t)snprintf(text, sizeof text, "%d", number) + 1);
}

int main(int argc, char **argv) {
  char buffer[65536];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = getenv("FORWARD_TO");
  const char *netns = getenv("CNI_NETNS");
  int closed = fcntl(0, F_GETFD) < 0;
  int to, container, out = 2;
  ssize_t length;
  unsigned char code;
  (void)argc;

  if (path == NULL || strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "FORWARD_TO is missing or too long\n");
    return 70;
  }
  strcpy(address.sun_path, path);
  if (closed && open("/dev/null", O_RDONLY) != 0) {
    fail("/dev/null");
  }
  to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (to < 0 || connect(to, (struct sockaddr *)&address, sizeof address) < 0) {
    fail(path);
  }
  container = netns == NULL ? -1 : open(netns, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  put_number(to, getpid());
  put_number(to, container);
  put_number(to, closed ? -1 : 0);
  argv[0] = basename(argv[0]);
  put(to, argv[0], strlen(argv[0]) + 1);
  for (char **variable = environ; *variable != NULL; variable++) {
    put(to, *variable, strlen(*variable) + 1);
  }
  put(to, "", 1);
  while ((length = read(0, buffer, sizeof buffer)) > 0) {
    put(to, buffer, (size_t)length);
  }
  shutdown(to, SHUT_WR);
  if (read(to, &code, 1) != 1) {
    fail("no answer");
  }
  while ((length = read(to, buffer, sizeof buffer)) > 0) {
    char *end = out == 2 ? memchr(buffer, 0, (size_t)length) : NULL;
    ssize_t first = end == NULL ? length : end - buffer;
    if (write(out, buffer, (size_t)first) != first) {
      fail("output");
    }
    if (end != NULL) {
      out = 1;
      if (write(out, end + 1, (size_t)(length - first - 1)) != length - first - 1) {
        fail("stdout");
      }
    }
  }
  return code;
}
