package io.ocicat.netlink.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of a service to systemd. */
class SystemdNotifyTest {
  private static final int SOCK_DGRAM = 2;

  @TempDir private Path directory;

  @Test
  void aMessageIsOneDatagram() {
    Path socket = directory.resolve("notify");
    try (Fd systemd = listen(socket.toString())) {
      SystemdNotify notice = notice(socket.toString());
      notice.send(SystemdNotify.READY);
      notice.send(SystemdNotify.STOPPING);

      assertThat(receive(systemd)).isEqualTo("READY=1");
      assertThat(receive(systemd)).isEqualTo("STOPPING=1");
    }
  }

  @Test
  void namesThatAreNoFilesBeginWithAnAt() {
    String name = "ocicat-test-" + ProcessHandle.current().pid();
    try (Fd systemd = listen("\0" + name)) {
      notice("@" + name).send(SystemdNotify.ALIVE);

      assertThat(receive(systemd)).isEqualTo("WATCHDOG=1");
    }
  }

  @Test
  void nobodyAsks() {
    assertThat(SystemdNotify.of(Map.of())).isEmpty();
    assertThat(SystemdNotify.of(Map.of("NOTIFY_SOCKET", ""))).isEmpty();
  }

  @Test
  void nobodyListens() {
    SystemdNotify notice = notice(directory.resolve("none").toString());

    assertThatThrownBy(() -> notice.send(SystemdNotify.READY))
        .isInstanceOf(NetlinkException.class)
        .hasMessageContaining("notify systemd READY=1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"notify", "vsock:2:1234"})
  void whatIsNoUnixSocketIsRefused(String name) {
    assertThatThrownBy(() -> notice(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NOTIFY_SOCKET \"%s\"".formatted(name));
  }

  @Test
  void aNameTooLongForASocketIsRefused() {
    assertThatThrownBy(() -> notice("/" + "x".repeat(107)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 107 bytes");
  }

  private static SystemdNotify notice(String name) {
    return SystemdNotify.of(Map.of("NOTIFY_SOCKET", name)).orElseThrow();
  }

  private static Fd listen(String name) {
    Fd socket =
        Fd.owning(
            Kernel.call(
                Syscall.SOCKET, SocketCalls.AF_UNIX, SOCK_DGRAM | SocketCalls.SOCK_CLOEXEC, 0));
    byte[] bytes = name.getBytes(UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(2 + bytes.length, Short.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) SocketCalls.AF_UNIX);
      MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 2, bytes.length);
      long bound =
          Kernel.call(Syscall.BIND, socket.number(), address.address(), address.byteSize());
      assertThat(bound).isZero();
    }
    return socket;
  }

  private static String receive(Fd socket) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(100);
      long length = Kernel.call(Syscall.READ, socket.number(), bytes.address(), 100);
      return new String(bytes.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }
  }
}
