package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The sockets that systemd opened for this process and passed to it at its start
 * (sd_listen_fds(3)): connections made before that wait in them.
 */
public final class SocketActivation {
  private static final int FIRST = 3;
  private static final int MAX = 1024;
  private static final int F_SETFD = 2;
  private static final int FD_CLOEXEC = 1;

  /**
   * A socket and its name: FileDescriptorName= of the socket unit or, without one, the unit's own
   * name.
   */
  public record Socket(String name, Fd fd) {}

  private SocketActivation() {}

  /**
   * Takes ownership of the sockets in the environment, in order; empty when there are none, or they
   * are for another process. Call it once.
   *
   * @throws IllegalArgumentException when the variables are inconsistent
   */
  public static List<Socket> take(Map<String, String> environment) {
    String pid = environment.getOrDefault("LISTEN_PID", "");
    if (!pid.equals(Long.toString(ProcessHandle.current().pid()))) {
      return List.of();
    }
    int count = count(environment.getOrDefault("LISTEN_FDS", ""));
    List<String> names = names(environment.getOrDefault("LISTEN_FDNAMES", ""), count);
    List<Socket> sockets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int number = FIRST + i;
      check(
          Kernel.call(Syscall.FCNTL, number, F_SETFD, FD_CLOEXEC),
          () -> "take over descriptor %d, which LISTEN_FDS announces".formatted(number));
      sockets.add(new Socket(names.get(i), Fd.owning(number)));
    }
    return sockets;
  }

  private static int count(String text) {
    int count = text.matches("\\d{1,4}") ? Integer.parseInt(text) : 0;
    if (count < 1 || count > MAX) {
      throw new IllegalArgumentException(
          "LISTEN_FDS \"" + text + "\" is not a number of sockets from 1 to " + MAX);
    }
    return count;
  }

  private static List<String> names(String text, int count) {
    if (text.isEmpty()) {
      return Collections.nCopies(count, "unknown");
    }
    List<String> names = List.of(text.split(":", -1));
    if (names.size() != count) {
      throw new IllegalArgumentException(
          "LISTEN_FDNAMES \"%s\" has %d names for the %d sockets of LISTEN_FDS"
              .formatted(text, names.size(), count));
    }
    return names;
  }
}
