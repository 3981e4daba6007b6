package io.ocicat.netlink.linux;

/**
 * An error number by name, with the description Linux users know. The numbers are those of
 * asm-generic, which x86-64 and aarch64 share; any number is a valid {@code Errno}.
 */
public record Errno(int number) {
  public static final Errno EPERM = new Errno(1);
  public static final Errno ENOENT = new Errno(2);
  public static final Errno ESRCH = new Errno(3);
  public static final Errno EINTR = new Errno(4);
  public static final Errno ENXIO = new Errno(6);
  public static final Errno EBADF = new Errno(9);
  public static final Errno EAGAIN = new Errno(11);
  public static final Errno ENOMEM = new Errno(12);
  public static final Errno EACCES = new Errno(13);
  public static final Errno EBUSY = new Errno(16);
  public static final Errno EEXIST = new Errno(17);
  public static final Errno ENODEV = new Errno(19);
  public static final Errno ENOTDIR = new Errno(20);
  public static final Errno EISDIR = new Errno(21);
  public static final Errno EINVAL = new Errno(22);
  public static final Errno ENFILE = new Errno(23);
  public static final Errno EMFILE = new Errno(24);
  public static final Errno ENOSPC = new Errno(28);
  public static final Errno EPIPE = new Errno(32);
  public static final Errno ECONNRESET = new Errno(104);
  public static final Errno ERANGE = new Errno(34);
  public static final Errno ENODATA = new Errno(61);
  public static final Errno EPROTO = new Errno(71);
  public static final Errno ERESTART = new Errno(85);
  public static final Errno EMSGSIZE = new Errno(90);
  public static final Errno EPROTONOSUPPORT = new Errno(93);
  public static final Errno EOPNOTSUPP = new Errno(95);
  public static final Errno EADDRINUSE = new Errno(98);
  public static final Errno EADDRNOTAVAIL = new Errno(99);
  public static final Errno ENETUNREACH = new Errno(101);
  public static final Errno ECONNABORTED = new Errno(103);
  public static final Errno ENOBUFS = new Errno(105);
  public static final Errno ETIMEDOUT = new Errno(110);
  public static final Errno ECONNREFUSED = new Errno(111);

  /** Reads the kernel's convention: a negative return value is a negated errno. */
  public static Errno ofResult(long result) {
    return new Errno((int) -result);
  }

  public String name() {
    return entry()[0];
  }

  /** The text of strerror(3). */
  public String text() {
    return entry()[1];
  }

  /** For instance {@code Network is unreachable (ENETUNREACH)}. */
  @Override
  public String toString() {
    return text() + " (" + name() + ")";
  }

  private String[] entry() {
    String known =
        switch (number) {
          case 1 -> "EPERM:Operation not permitted";
          case 2 -> "ENOENT:No such file or directory";
          case 3 -> "ESRCH:No such process";
          case 4 -> "EINTR:Interrupted system call";
          case 5 -> "EIO:Input/output error";
          case 6 -> "ENXIO:No such device or address";
          case 7 -> "E2BIG:Argument list too long";
          case 9 -> "EBADF:Bad file descriptor";
          case 11 -> "EAGAIN:Resource temporarily unavailable";
          case 12 -> "ENOMEM:Cannot allocate memory";
          case 13 -> "EACCES:Permission denied";
          case 14 -> "EFAULT:Bad address";
          case 16 -> "EBUSY:Device or resource busy";
          case 17 -> "EEXIST:File exists";
          case 18 -> "EXDEV:Invalid cross-device link";
          case 19 -> "ENODEV:No such device";
          case 20 -> "ENOTDIR:Not a directory";
          case 21 -> "EISDIR:Is a directory";
          case 22 -> "EINVAL:Invalid argument";
          case 23 -> "ENFILE:Too many open files in system";
          case 24 -> "EMFILE:Too many open files";
          case 28 -> "ENOSPC:No space left on device";
          case 30 -> "EROFS:Read-only file system";
          case 31 -> "EMLINK:Too many links";
          case 32 -> "EPIPE:Broken pipe";
          case 34 -> "ERANGE:Numerical result out of range";
          case 36 -> "ENAMETOOLONG:File name too long";
          case 38 -> "ENOSYS:Function not implemented";
          case 39 -> "ENOTEMPTY:Directory not empty";
          case 40 -> "ELOOP:Too many levels of symbolic links";
          case 61 -> "ENODATA:No data available";
          case 71 -> "EPROTO:Protocol error";
          case 75 -> "EOVERFLOW:Value too large for defined data type";
          case 76 -> "ENOTUNIQ:Name not unique on network";
          case 85 -> "ERESTART:Interrupted system call should be restarted";
          case 88 -> "ENOTSOCK:Socket operation on non-socket";
          case 90 -> "EMSGSIZE:Message too long";
          case 92 -> "ENOPROTOOPT:Protocol not available";
          case 93 -> "EPROTONOSUPPORT:Protocol not supported";
          case 95 -> "EOPNOTSUPP:Operation not supported";
          case 97 -> "EAFNOSUPPORT:Address family not supported by protocol";
          case 98 -> "EADDRINUSE:Address already in use";
          case 99 -> "EADDRNOTAVAIL:Cannot assign requested address";
          case 100 -> "ENETDOWN:Network is down";
          case 101 -> "ENETUNREACH:Network is unreachable";
          case 103 -> "ECONNABORTED:Software caused connection abort";
          case 104 -> "ECONNRESET:Connection reset by peer";
          case 105 -> "ENOBUFS:No buffer space available";
          case 106 -> "EISCONN:Transport endpoint is already connected";
          case 107 -> "ENOTCONN:Transport endpoint is not connected";
          case 109 -> "ETOOMANYREFS:Too many references: cannot splice";
          case 110 -> "ETIMEDOUT:Connection timed out";
          case 111 -> "ECONNREFUSED:Connection refused";
          case 113 -> "EHOSTUNREACH:No route to host";
          case 122 -> "EDQUOT:Disk quota exceeded";
          case 524 -> "ENOTSUPP:Operation not supported by the driver";
          default -> "errno " + number + ":Unknown error " + number;
        };
    return known.split(":", 2);
  }
}
