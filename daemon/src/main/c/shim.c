/*
 * A CNI plugin: the one whose name this file has.
 *
 * Hands the call to ocicatd and prints what it answers. Knows nothing of JSON or networks. When there is no daemon, or
 * it declines, a JVM is started for this one call ("ocicat plugin <name>"), so that nothing depends on the daemon.
 *
 * The frames are described in io.ocicat.daemon.wire. All numbers are little-endian, as both architectures are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MAGIC 0x3149434fu /* "OCI1" */
#define MAJOR 1
#define MINOR 0

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

/* One byte more than a request may have, so that whoever reads it sees that it is too long. */
#define MAX_STDIN ((4 << 20) + 1)
#define MAX_ENVIRONMENT (1 << 20)
#define MAX_REPLY (8 << 20)

/* How long a daemon that is just being replaced may refuse connections, and one that works may be silent. */
#define REFUSED_MILLIS 300
#define SILENT_MILLIS 5000

/* Never touched pages cost nothing. */
static char request_stdin[MAX_STDIN];
static char request_environment[MAX_ENVIRONMENT];
static char answer[MAX_REPLY];
static size_t stdin_length, environment_length;

static const char *plugin;
static const char *command;
static int64_t deadline;

static int64_t now_nanos(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t now(void) { return now_nanos() / 1000000; }

static int is(const char *verb) { return strcmp(command, verb) == 0; }

/* Well inside of what kubelet (2 minutes) and others allow. */
static int64_t limit_millis(void) {
  if (is("ADD")) return 60000;
  if (is("DEL") || is("CHECK")) return 30000;
  if (is("GC")) return 60000;
  return 10000;
}

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    length -= written;
  }
}

/* The reasons are ours and need no escaping. */
static void fail(int code, const char *message, const char *details) {
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

static int pack_environment(void) {
  environment_length = 0;
  for (char **variable = environ; *variable; variable++) {
    size_t length = strlen(*variable) + 1;
    if (length > MAX_ENVIRONMENT - environment_length) return 0;
    memcpy(request_environment + environment_length, *variable, length);
    environment_length += length;
  }
  return 1;
}

/* The folder this file is in, or was copied from: there the link ".ocicat" beside it tells where. */
static int find_launcher(char *launcher) {
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

/* What was read from stdin must be readable once more. */
static void give_stdin_back(void) {
  int file = memfd_create("stdin", 0);
  if (file < 0) return;
  write_all(file, request_stdin, stdin_length);
  lseek(file, 0, SEEK_SET);
  dup2(file, 0);
  close(file);
}

/* The very same call in a JVM of its own. Does not return. */
static void do_it_alone(char **arguments) {
  static char launcher[PATH_MAX];
  char *call[64] = {"ocicat", "plugin", (char *)plugin};
  int count = 3;
  while (arguments && *arguments && count < 63) call[count++] = *arguments++;
  if (!find_launcher(launcher)) {
    fail(5, "ocicatd does not answer, and there is no ocicat to do it without",
         "looked for ../bin/ocicat and for the link .ocicat beside this executable: run ocicat install");
  }
  if (stdin_length > 0) give_stdin_back();
  execv(launcher, call);
  fail(5, "ocicatd does not answer, and bin/ocicat cannot be started", strerror(errno));
}

static int connect_to_daemon(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *directory = getenv("OCICAT_RUN_DIR");
  if (!directory || !*directory) directory = "/run/ocicat";
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/ocicatd.sock", directory);
  if (length >= (int)sizeof address.sun_path) return -1;
  int64_t patience = now() + REFUSED_MILLIS;
  while (1) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    /* A full queue makes connect wait; not for ever. */
    struct timeval limit = {.tv_sec = SILENT_MILLIS / 1000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int why = errno;
    close(fd);
    /* Refused: there is a socket and nobody listens. A daemon that was killed may be back in a moment. */
    if (why != ECONNREFUSED || now() >= patience) return -1;
    struct timespec pause = {.tv_nsec = 10000000};
    nanosleep(&pause, NULL);
  }
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
      .limit_millis = limit_millis(),
      .started_nanos = now_nanos(),
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
    /* Not blocking: it may be anything, also a pipe that nobody writes to. */
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

enum outcome {
  COMPLETE,
  REFUSED,
  /* It cannot have begun: the kernel reports a reset only while part of the request has not been read. */
  NOT_BEGUN,
  LOST,
};

static enum outcome receive(int daemon, char *into, size_t length) {
  while (length > 0) {
    int64_t left = deadline - now();
    if (left <= 0) return LOST;
    struct pollfd readable = {.fd = daemon, .events = POLLIN};
    int ready = poll(&readable, 1, left < SILENT_MILLIS ? left : SILENT_MILLIS);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return LOST;
    ssize_t got = recv(daemon, into, length, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == ECONNRESET ? NOT_BEGUN : LOST;
    if (got == 0) return LOST;
    into += got;
    length -= got;
  }
  return COMPLETE;
}

/* Prints the answer and exits, unless there is none. */
static enum outcome print_answer(int daemon) {
  struct reply head;
  do {
    enum outcome outcome = receive(daemon, (char *)&head, sizeof head);
    if (outcome != COMPLETE) return outcome;
    if (head.magic != MAGIC || head.major != MAJOR) return LOST;
  } while (head.kind == WORKING);
  if (head.kind == DECLINED) return REFUSED;
  if (head.kind != DONE || head.stdout_length > MAX_REPLY || head.stderr_length > MAX_REPLY - head.stdout_length) {
    return LOST;
  }
  if (receive(daemon, answer, head.stdout_length + head.stderr_length) != COMPLETE) return LOST;
  write_all(2, answer + head.stdout_length, head.stderr_length);
  write_all(1, answer, head.stdout_length);
  exit(head.exit_code);
}

int main(int argc, char **argv) {
  const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
  plugin = slash ? slash + 1 : argc > 0 ? argv[0] : "";
  command = getenv("CNI_COMMAND");
  if (!command) command = "";
  deadline = now() + limit_millis();
  if (argc > 1 && !*command) do_it_alone(argv + 1);
  /* Neither has a use for stdin, which may be a terminal. */
  if (*command && !is("VERSION")) read_stdin();

  /* A daemon that is being replaced resets who is still in its queue; the next one is there already. */
  for (int attempt = 0; attempt < 3 && pack_environment(); attempt++) {
    int daemon = connect_to_daemon();
    if (daemon < 0) break;
    enum outcome outcome = send_request(daemon) ? print_answer(daemon) : NOT_BEGUN;
    close(daemon);
    if (outcome == NOT_BEGUN) continue;
    /* All but ADD may be done twice. */
    if (outcome == LOST && is("ADD")) {
      fail(11, "ocicatd ended before it had answered, try again",
           "what it had done is undone by DEL, by GC, or when it starts again");
    }
    break;
  }
  do_it_alone(NULL);
}
