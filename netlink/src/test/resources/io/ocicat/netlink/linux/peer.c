/*
 * The other end of a Unix socket, for tests: connects and does what its arguments say, in order.
 *
 *   peer <path> stream|seqpacket <step>...
 *
 *   send TEXT               sends the text
 *   pass TEXT FILE[,FILE]   sends the text with the files, opened
 *   many TEXT COUNT         sends the text with so many descriptors
 *   flood COUNT             sends so many bytes
 *   recv                    prints what comes as "TEXT", and for each descriptor " DEVICE:INODE"
 *   eof                     waits for the end of the stream and prints "eof"
 *   wait                    does nothing until killed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST 253

static int sock;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void transmit(const char *text, int *fds, int count) {
  union {
    char bytes[CMSG_SPACE(MOST * sizeof(int))];
    struct cmsghdr align;
  } control;
  struct iovec iov = {(char *)text, strlen(text)};
  struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
  if (count > 0) {
    memset(&control, 0, sizeof control);
    msg.msg_control = &control;
    msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
    cmsg->cmsg_level = SOL_SOCKET;
    cmsg->cmsg_type = SCM_RIGHTS;
    cmsg->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(cmsg), fds, count * sizeof(int));
  }
  if (sendmsg(sock, &msg, MSG_NOSIGNAL) != (ssize_t)iov.iov_len) fail("sendmsg");
}

static void pass(const char *text, char *files) {
  int fds[MOST], count = 0;
  for (char *file = strtok(files, ","); file != NULL; file = strtok(NULL, ","))
    if ((fds[count++] = open(file, O_RDONLY | O_CLOEXEC)) < 0) fail(file);
  transmit(text, fds, count);
  while (count > 0) close(fds[--count]);
}

static void many(const char *text, int count) {
  int fds[MOST];
  for (int i = 0; i < count; i++) fds[i] = STDIN_FILENO;
  transmit(text, fds, count);
}

static void flood(int count) {
  char chunk[4096];
  memset(chunk, 'x', sizeof chunk);
  while (count > 0) {
    ssize_t sent = send(sock, chunk, count < (int)sizeof chunk ? count : (int)sizeof chunk, MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    count -= sent;
  }
}

static void receive(void) {
  char data[65536];
  union {
    char bytes[CMSG_SPACE(MOST * sizeof(int))];
    struct cmsghdr align;
  } control;
  struct iovec iov = {data, sizeof data};
  struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got = recvmsg(sock, &msg, 0);
  if (got < 0) fail("recvmsg");
  printf("%.*s", (int)got, data);
  for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg); cmsg != NULL; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
    if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS) continue;
    int count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (int i = 0; i < count; i++) {
      int fd;
      struct stat st;
      memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof fd);
      if (fstat(fd, &st) != 0) fail("fstat");
      printf(" %lu:%lu", (unsigned long)st.st_dev, (unsigned long)st.st_ino);
      close(fd);
    }
  }
  printf("\n");
  fflush(stdout);
}

static void eof(void) {
  char data[4096];
  ssize_t got;
  while ((got = recv(sock, data, sizeof data, 0)) > 0) continue;
  if (got < 0) fail("recv");
  printf("eof\n");
  fflush(stdout);
}

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc < 3) return 2;
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  sock = socket(AF_UNIX, (strcmp(argv[2], "stream") == 0 ? SOCK_STREAM : SOCK_SEQPACKET) | SOCK_CLOEXEC, 0);
  if (sock < 0) fail("socket");
  if (connect(sock, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "send") == 0) transmit(argv[++i], NULL, 0);
    else if (strcmp(argv[i], "pass") == 0) pass(argv[i + 1], argv[i + 2]), i += 2;
    else if (strcmp(argv[i], "many") == 0) many(argv[i + 1], atoi(argv[i + 2])), i += 2;
    else if (strcmp(argv[i], "flood") == 0) flood(atoi(argv[++i]));
    else if (strcmp(argv[i], "recv") == 0) receive();
    else if (strcmp(argv[i], "eof") == 0) eof();
    else if (strcmp(argv[i], "wait") == 0) pause();
    else return 2;
  }
  return 0;
}
