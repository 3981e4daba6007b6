/*
 * A daemon that has nothing to do: answers every request on the socket it is given at once with success. What a call then takes is
 * the shim's own time. Usage: yes <socket>. The frames are described in io.ocicat.daemon.wire.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct reply {
  uint32_t magic;
  uint16_t major, minor;
  uint16_t kind, exit_code;
  uint32_t stdout_length, stderr_length;
} __attribute__((packed));

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16)) {
    perror(argv[1]);
    return 1;
  }
  static char request[1 << 16];
  struct reply done = {.magic = 0x3149434f, .major = 1, .kind = 2};
  for (;;) {
    int caller = accept(listener, NULL, NULL);
    if (caller < 0) return 1;
    /* Shorter than the buffer: one read has all of it. Descriptors that come along are dropped. */
    if (recv(caller, request, sizeof request, 0) > 0) send(caller, &done, sizeof done, MSG_NOSIGNAL);
    close(caller);
  }
}
