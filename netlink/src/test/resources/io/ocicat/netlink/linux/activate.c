/*
 * What systemd does for a service with two sockets, for tests: listens, then becomes the service.
 *
 *   activate <names> <path> <path> <program> <argument>...
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void listen_at(const char *path, int fd) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int sock = socket(AF_UNIX, SOCK_STREAM, 0);
  if (sock < 0 || bind(sock, (struct sockaddr *)&address, sizeof address) != 0 || listen(sock, 16) != 0) {
    perror(path);
    exit(1);
  }
  if (sock != fd) {
    dup2(sock, fd);
    close(sock);
  }
}

int main(int argc, char **argv) {
  char pid[16];
  if (argc < 5) return 2;
  listen_at(argv[2], 3);
  listen_at(argv[3], 4);
  snprintf(pid, sizeof pid, "%d", getpid());
  setenv("LISTEN_PID", pid, 1);
  setenv("LISTEN_FDS", "2", 1);
  setenv("LISTEN_FDNAMES", argv[1], 1);
  execv(argv[4], argv + 4);
  perror(argv[4]);
  return 1;
}
