package io.ocicat.netlink.linux;

/**
 * The identity of the process at the other end of a Unix socket, as the kernel recorded it when
 * that process connected or began to listen: the peer cannot forge it, but the process may have
 * ended since and its pid may have been reused. The numbers are those of our own pid and user
 * namespaces; a pid of 0 and a uid of 65534 stand for those that have no number there.
 */
public record PeerCredentials(int pid, int uid, int gid) {
  /** Whether it is the superuser of our own user namespace. */
  public boolean isRoot() {
    return uid == 0;
  }
}
