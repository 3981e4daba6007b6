// lesskernel <what the kernel is to lack: netfilter, userns, or a kind of link> <command…>
//
// Runs a command, and all that it starts, as if the kernel lacked something. Sockets of NETLINK_NETFILTER and user
// namespaces are refused with the error of a kernel that has none, or does not allow them. Kinds of links are misspelled on their way to the kernel, which then answers in its own words.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ANSWER(verdict) BPF_STMT(BPF_RET | BPF_K, verdict)

static void fail(const char *what) {
  fprintf(stderr, "lesskernel: %s: %s\n", what, strerror(errno));
  exit(125);
}

static int filter(struct sock_filter *lines, unsigned short count, unsigned int flags) {
  struct sock_fprog program = {count, lines};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (fd < 0) fail("seccomp");
  return fd;
}

static void without_netfilter(void) {
  struct sock_filter lines[] = {
      LOAD(nr),      UNLESS(SYS_socket, 5),        LOAD(args[0]),
      UNLESS(AF_NETLINK, 3), LOAD(args[2]), UNLESS(NETLINK_NETFILTER, 1),
      ANSWER(SECCOMP_RET_ERRNO | EPROTONOSUPPORT), ANSWER(SECCOMP_RET_ALLOW)};
  filter(lines, sizeof lines / sizeof *lines, 0);
}

static void without_user_namespaces(void) {
  struct sock_filter lines[] = {LOAD(nr), UNLESS(SYS_unshare, 3), LOAD(args[0]),
                                BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
                                ANSWER(SECCOMP_RET_ERRNO | EPERM), ANSWER(SECCOMP_RET_ALLOW)};
  filter(lines, sizeof lines / sizeof *lines, 0);
}

// Whoever sends something waits for the supervisor.
static int asking(void) {
  struct sock_filter lines[] = {LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendto, 1, 0), UNLESS(SYS_sendmsg, 1),
                                ANSWER(SECCOMP_RET_USER_NOTIF), ANSWER(SECCOMP_RET_ALLOW)};
  return filter(lines, sizeof lines / sizeof *lines, SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

static void misspell(pid_t pid, unsigned long address, size_t length, const char *kind) {
  static char bytes[1 << 16];
  if (length > sizeof bytes) length = sizeof bytes;
  struct iovec here = {bytes, length}, there = {(void *)address, length};
  if (process_vm_readv(pid, &here, 1, &there, 1, 0) < (ssize_t)NLMSG_HDRLEN) return;
  size_t size = strlen(kind);
  for (size_t i = NLMSG_HDRLEN; i + sizeof(struct rtattr) + size <= length; i += 4) {
    struct rtattr attribute;
    memcpy(&attribute, bytes + i, sizeof attribute);
    char *name = bytes + i + sizeof attribute;
    if (attribute.rta_type != IFLA_INFO_KIND || memcmp(name, kind, size) != 0) continue;
    if (attribute.rta_len != RTA_LENGTH(size) && attribute.rta_len != RTA_LENGTH(size + 1)) continue;
    name[0] = 'X';
    struct iovec from = {name, 1}, to = {(void *)(address + i + sizeof attribute), 1};
    if (process_vm_writev(pid, &from, 1, &to, 1, 0) != 1) fail("process_vm_writev");
  }
}

static void look(const struct seccomp_notif *call, const char *kind) {
  pid_t pid = (pid_t)call->pid;
  if (call->data.nr == SYS_sendto) {
    misspell(pid, call->data.args[1], call->data.args[2], kind);
    return;
  }
  struct msghdr message;
  struct iovec part, here = {&message, sizeof message}, there = {(void *)call->data.args[1], sizeof message};
  if (process_vm_readv(pid, &here, 1, &there, 1, 0) != sizeof message) return;
  for (size_t i = 0; i < message.msg_iovlen && i < 16; i++) {
    here = (struct iovec){&part, sizeof part};
    there = (struct iovec){(void *)(message.msg_iov + i), sizeof part};
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != sizeof part) return;
    misspell(pid, (unsigned long)part.iov_base, part.iov_len, kind);
  }
}

// Until nobody is left who could ask.
static void supervise(int listener, const char *kind) {
  for (;;) {
    struct pollfd waiting = {listener, POLLIN, 0};
    if (poll(&waiting, 1, -1) < 0 && errno != EINTR) fail("poll");
    if (waiting.revents & POLLHUP) return;
    if (!(waiting.revents & POLLIN)) continue;
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0) continue;
    look(&call, kind);
    struct seccomp_notif_resp answer = {call.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

int main(int count, char **arguments) {
  if (count < 3) return 125;
  const char *lacking = arguments[1];
  int refused = !strcmp(lacking, "netfilter") || !strcmp(lacking, "userns");
  if (refused) {
    if (*lacking == 'n') without_netfilter();
    else without_user_namespaces();
    execvp(arguments[2], arguments + 2);
    fail(arguments[2]);
  }
  int number[2], taken[2];
  if (pipe2(number, O_CLOEXEC) < 0 || pipe2(taken, O_CLOEXEC) < 0) fail("pipe");
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    close(taken[1]);
    int listener = asking();
    if (write(number[1], &listener, sizeof listener) != sizeof listener) fail("write");
    // Exec closes it, so not before the supervisor has it: nobody else would answer.
    char word;
    if (read(taken[0], &word, 1) != 1) fail("no supervisor");
    execvp(arguments[2], arguments + 2);
    fail(arguments[2]);
  }
  int theirs, process = (int)syscall(SYS_pidfd_open, child, 0);
  if (read(number[0], &theirs, sizeof theirs) != sizeof theirs) fail("the child said nothing");
  int listener = (int)syscall(SYS_pidfd_getfd, process, theirs, 0);
  if (listener < 0) fail("pidfd_getfd");
  if (write(taken[1], "", 1) != 1) fail("write");
  supervise(listener, lacking);
  int status;
  if (waitpid(child, &status, 0) < 0) fail("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
