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
  FSYNC(74, 82),
  FCHMOD(91, 52),
  FSTATFS(138, 44),
  SETPRIORITY(141, 140),
  MOUNT(165, 40),
  UMOUNT2(166, 39),
  LSETXATTR(189, 6),
  LGETXATTR(192, 9),
  LLISTXATTR(195, 12),
  GETDENTS64(217, 61),
  OPENAT(257, 56),
  MKDIRAT(258, 34),
  MKNODAT(259, 33),
  FCHOWNAT(260, 54),
  NEWFSTATAT(262, 79),
  UNLINKAT(263, 35),
  RENAMEAT(264, 38),
  LINKAT(265, 37),
  SYMLINKAT(266, 36),
  READLINKAT(267, 78),
  FCHMODAT(268, 53),
  PPOLL(271, 73),
  UNSHARE(272, 97),
  UTIMENSAT(280, 88),
  ACCEPT4(288, 242),
  EVENTFD2(290, 19),
  DUP3(292, 24),
  SYNCFS(306, 267),
  SETNS(308, 268),
  STATX(332, 291);

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
