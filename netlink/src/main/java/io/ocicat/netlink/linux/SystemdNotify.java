package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;

/**
 * Reports the state of this process to systemd (sd_notify(3)): one datagram for each message to the
 * socket that {@code NOTIFY_SOCKET} names. Thread-safe.
 */
public final class SystemdNotify {
  public static final String READY = "READY=1";
  public static final String STOPPING = "STOPPING=1";

  /** The watchdog message, due every half of {@code WatchdogSec=}. */
  public static final String ALIVE = "WATCHDOG=1";

  private static final int SOCK_DGRAM = 2;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int FAMILY = 2;
  private static final int LONGEST_PATH = 107;

  private final byte[] address;

  private SystemdNotify(byte[] address) {
    this.address = address;
  }

  /**
   * Empty when the variable is not set.
   *
   * @throws IllegalArgumentException when it does not name a socket
   */
  public static Optional<SystemdNotify> of(Map<String, String> environment) {
    String name = environment.getOrDefault("NOTIFY_SOCKET", "");
    if (name.isEmpty()) {
      return Optional.empty();
    }
    byte[] address = name.getBytes(UTF_8);
    if (address.length > LONGEST_PATH || (address[0] != '/' && address[0] != '@')) {
      throw new IllegalArgumentException(
          "NOTIFY_SOCKET \"%s\" is neither an absolute path nor an abstract name of at most %d bytes"
              .formatted(name, LONGEST_PATH));
    }
    if (address[0] == '@') {
      address[0] = 0;
    }
    return Optional.of(new SystemdNotify(address));
  }

  /** Does not wait: a message that systemd does not read in time is dropped. */
  public void send(String message) {
    long opened =
        Kernel.call(Syscall.SOCKET, SocketCalls.AF_UNIX, SOCK_DGRAM | SocketCalls.SOCK_CLOEXEC, 0);
    try (Fd socket = Fd.owning(check(opened, () -> "open a unix socket"));
        Arena arena = Arena.ofConfined()) {
      byte[] text = message.getBytes(UTF_8);
      MemorySegment bytes = arena.allocate(text.length);
      MemorySegment.copy(text, 0, bytes, JAVA_BYTE, 0, text.length);
      MemorySegment to = arena.allocate(FAMILY + address.length, Short.BYTES);
      to.set(JAVA_SHORT, 0, (short) SocketCalls.AF_UNIX);
      MemorySegment.copy(address, 0, to, JAVA_BYTE, FAMILY, address.length);
      check(
          Kernel.call(
              Syscall.SENDTO,
              socket.number(),
              bytes.address(),
              bytes.byteSize(),
              MSG_DONTWAIT | MSG_NOSIGNAL,
              to.address(),
              to.byteSize()),
          () -> "notify systemd " + message);
    }
  }
}
