package io.ocicat.netlink.linux;

/** The system calls in use, with their numbers on the supported architectures. */
public enum Syscall {
  READ(0, 63),
  WRITE(1, 64),
  CLOSE(3, 57),
  FSTAT(5, 80),
  IOCTL(16, 29),
  SOCKET(41, 198),
  CONNECT(42, 203),
  SENDTO(44, 206),
  RECVFROM(45, 207),
  SENDMSG(46, 211),
  RECVMSG(47, 212),
  SHUTDOWN(48, 210),
  BIND(49, 200),
  LISTEN(50, 201),
  GETSOCKNAME(51, 204),
  SOCKETPAIR(53, 199),
  SETSOCKOPT(54, 208),
  GETSOCKOPT(55, 209),
  KILL(62, 129),
  FCNTL(72, 25),
  FLOCK(73, 32),
  FCHMOD(91, 52),
  FSTATFS(138, 44),
  SETPRIORITY(141, 140),
  MOUNT(165, 40),
  UMOUNT2(166, 39),
  OPENAT(257, 56),
  NEWFSTATAT(262, 79),
  FCHMODAT(268, 53),
  PPOLL(271, 73),
  UNSHARE(272, 97),
  UTIMENSAT(280, 88),
  ACCEPT4(288, 242),
  EVENTFD2(290, 19),
  DUP3(292, 24),
  SETNS(308, 268);

  private static final boolean AARCH64 = isAarch64(System.getProperty("os.arch"));

  private final int x86;
  private final int arm;

  Syscall(int x86, int arm) {
    this.x86 = x86;
    this.arm = arm;
  }

  int number() {
    return AARCH64 ? arm : x86;
  }

  private static boolean isAarch64(String arch) {
    return switch (arch) {
      case "amd64", "x86_64" -> false;
      case "aarch64" -> true;
      default ->
          throw new IllegalStateException(
              "ocicat runs on Linux x86-64 and aarch64, not on \"" + arch + "\"");
    };
  }
}
