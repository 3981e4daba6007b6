package io.ocicat.netlink.linux;

/**
 * Who is at the other end of a Unix socket, as the kernel noted when it connected or began to
 * listen: the peer cannot choose what is said here, but the process may have ended since and its
 * number may be another's. The numbers are those of our own pid and user namespaces; a pid of 0 and
 * a uid of 65534 stand for what has no number there.
 */
public record PeerCredentials(int pid, int uid, int gid) {
  /** Whether it is the superuser of our own user namespace. */
  public boolean isRoot() {
    return uid == 0;
  }
}
