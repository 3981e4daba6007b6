/* One call over the daemon's socket. All numbers are little-endian, as both architectures are. */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

#define MAGIC 0x3149434fu /* "OCI1" */
#define MAJOR 1
#define MINOR 2

/* How often a waiting call checks whether the daemon is still starting. */
#define LOOK_MILLIS 500

enum { WORKING = 1, DONE = 2, DECLINED = 3 };
enum { HAS_OWN_NETNS = 1, HAS_CONTAINER_NETNS = 2 };

struct request {
  uint32_t magic;
  uint16_t major, minor;
  uint32_t name_length, environment_length, stdin_length;
  uint32_t limit_millis;
  uint64_t started_nanos;
  uint32_t descriptors;
  uint32_t netns_errno;
  uint64_t mount_namespace, user_namespace, root_device, root_inode;
} __attribute__((packed));

struct reply {
  uint32_t magic;
  uint16_t major, minor;
  uint16_t kind, exit_code;
  uint32_t stdout_length, stderr_length;
} __attribute__((packed));

static char request_environment[MAX_ENVIRONMENT];
static char answer[MAX_REPLY];
static size_t environment_length;

const char *run_directory(void) {
  const char *directory = getenv("OCICAT_RUN_DIR");
  return directory && *directory ? directory : "/run/ocicat";
}

int run_file(char *path, size_t size, const char *name) {
  return snprintf(path, size, "%s/%s", run_directory(), name) < (int)size;
}

/* The daemon decides what happens on this machine, so it must run as root or as our user. */
static int is_trusted(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  return peer.uid == 0 || peer.uid == geteuid();
}

int connect_once(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!run_file(address.sun_path, sizeof address.sun_path, "ocicatd.sock")) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  /* A full queue makes connect wait, but not forever. */
  struct timeval limit = {.tv_sec = SILENT_MILLIS / 1000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int why = 0;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    why = errno;
  } else if (!is_trusted(fd)) {
    why = EPERM;
  }
  if (!why) return fd;
  close(fd);
  errno = why;
  return -1;
}

int connect_to_daemon(void) {
  static int starts;
  int64_t refused_until = now() + REFUSED_MILLIS;
  while (now() < deadline) {
    int fd = connect_once();
    if (fd >= 0) return fd;
    /* Refused: there is a socket but no listener. A daemon that was killed may be back in a moment. */
    int refused = errno == ECONNREFUSED;
    if (!refused && errno != ENOENT) return -1;
    if (!refused || now() >= refused_until) {
      enum start start = starts < 2 ? start_daemon(starts) : NO_START;
      if (start == NO_START) return -1;
      if (start == STARTED) {
        starts++;
        continue;
      }
    }
    pause_millis(10);
  }
  return -1;
}

/* The variables, and the working directory as a variable without a name. */
static int pack_environment(void) {
  char directory[PATH_MAX + 1] = "=";
  environment_length = 0;
  if (!getcwd(directory + 1, PATH_MAX)) directory[1] = 0;
  char *own[] = {directory, NULL};
  char **blocks[] = {own, environ};
  for (int i = 0; i < 2; i++) {
    for (char **variable = blocks[i]; *variable; variable++) {
      size_t length = strlen(*variable) + 1;
      if (length > MAX_ENVIRONMENT - environment_length) return 0;
      memcpy(request_environment + environment_length, *variable, length);
      environment_length += length;
    }
  }
  return 1;
}

static uint64_t inode_of(const char *path, uint64_t *device) {
  struct stat found;
  if (stat(path, &found) != 0) return 0;
  if (device) *device = found.st_dev;
  return found.st_ino;
}

static int send_request(int daemon) {
  const char *netns = getenv("CNI_NETNS");
  struct request head = {
      .magic = MAGIC,
      .major = MAJOR,
      .minor = MINOR,
      .name_length = strlen(plugin),
      .environment_length = environment_length,
      .stdin_length = stdin_length,
      /* What is left of it: starting a daemon takes part of it. */
      .limit_millis = deadline - now(),
      .started_nanos = (deadline - limit_millis()) * 1000000,
  };
  uint64_t device = 0;
  head.root_inode = inode_of("/", &device);
  head.root_device = device;
  head.mount_namespace = inode_of("/proc/self/ns/mnt", NULL);
  head.user_namespace = inode_of("/proc/self/ns/user", NULL);

  int descriptors[2], count = 0;
  int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (own < 0) return 0;
  descriptors[count++] = own;
  head.descriptors = HAS_OWN_NETNS;
  if (netns && *netns) {
    /* Not blocking: it may be anything, even a pipe without a writer. */
    int container = open(netns, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (container >= 0) {
      descriptors[count++] = container;
      head.descriptors |= HAS_CONTAINER_NETNS;
    } else {
      head.netns_errno = errno;
    }
  }

  struct iovec parts[] = {
      {&head, sizeof head},
      {(void *)plugin, head.name_length},
      {request_environment, environment_length},
      {request_stdin, stdin_length},
  };
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof descriptors)];
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = parts,
                           .msg_iovlen = 4,
                           .msg_control = &control,
                           .msg_controllen = CMSG_SPACE(count * sizeof(int))};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(count * sizeof(int));
  memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));

  size_t left = sizeof head + head.name_length + environment_length + stdin_length;
  while (1) {
    ssize_t sent = sendmsg(daemon, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    /* The queue of a starting daemon holds only a few pages of a long request. */
    if (sent < 0 && errno == EAGAIN && is_starting() && now() < deadline) continue;
    if (sent <= 0) return 0;
    left -= sent;
    while (message.msg_control && count > 0) close(descriptors[--count]);
    if (left == 0) return 1;
    message.msg_control = NULL;
    message.msg_controllen = 0;
    while ((size_t)sent >= message.msg_iov->iov_len) {
      sent -= message.msg_iov->iov_len;
      message.msg_iov++;
      message.msg_iovlen--;
    }
    message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + sent;
    message.msg_iov->iov_len -= sent;
  }
}

static enum outcome receive(int daemon, char *into, size_t length) {
  int64_t heard = now();
  while (length > 0) {
    int64_t left = deadline - now();
    int64_t silence = heard + SILENT_MILLIS - now();
    if (left <= 0 || silence <= 0) return SILENT;
    int64_t wait = left < silence ? left : silence;
    struct pollfd readable = {.fd = daemon, .events = POLLIN};
    int ready = poll(&readable, 1, wait < LOOK_MILLIS ? wait : LOOK_MILLIS);
    if (ready < 0 && errno != EINTR) return SILENT;
    /* A starting daemon sends nothing until it serves. */
    if (ready == 0 && is_starting()) heard = now();
    if (ready <= 0) continue;
    ssize_t got = recv(daemon, into, length, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == ECONNRESET ? NOT_BEGUN : ENDED;
    if (got == 0) return ENDED;
    heard = now();
    into += got;
    length -= got;
  }
  return COMPLETE;
}

static enum outcome print_answer(int daemon) {
  struct reply head;
  do {
    enum outcome outcome = receive(daemon, (char *)&head, sizeof head);
    if (outcome != COMPLETE) return outcome;
    if (head.magic != MAGIC || head.major != MAJOR) return ENDED;
  } while (head.kind == WORKING);
  if (head.kind == DECLINED) return REFUSED;
  if (head.kind != DONE || head.stdout_length > MAX_REPLY || head.stderr_length > MAX_REPLY - head.stdout_length) {
    return ENDED;
  }
  enum outcome outcome = receive(daemon, answer, head.stdout_length + head.stderr_length);
  if (outcome != COMPLETE) return outcome == NOT_BEGUN ? ENDED : outcome;
  write_all(2, answer + head.stdout_length, head.stderr_length);
  write_all(1, answer, head.stdout_length);
  exit(head.exit_code);
}

enum outcome ask(int daemon) {
  if (!pack_environment()) return REFUSED;
  return send_request(daemon) ? print_answer(daemon) : NOT_BEGUN;
}
