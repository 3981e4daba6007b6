package io.ocicat.netlink.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Hosts
class NetNsTest {

  @Test
  void pathPidAndDescriptorLeadToTheSameNamespace(Host host) {
    Background sleeper = host.start("sh", "-c", "echo inside; exec sleep 60");
    Eventually.await("the sleeper is inside", () -> sleeper.stdout().contains("inside"));
    try (NetNs byPath = NetNs.open(host.path());
        NetNs byPid = NetNs.ofPid(sleeper.pid());
        NetNs byDescriptor = NetNs.ofDescriptor(byPath.descriptor())) {
      assertThat(byPid.id()).isEqualTo(byPath.id());
      assertThat(byDescriptor.id()).isEqualTo(byPath.id());
      assertThat(byDescriptor.cookie()).isEqualTo(byPath.cookie()).isNotZero();
    }
  }

  @Test
  void differentNamespacesHaveDifferentIdentities(Host a, Host b) {
    try (NetNs first = NetNs.open(a.path());
        NetNs second = NetNs.open(b.path())) {
      assertThat(first.id()).isNotEqualTo(second.id());
      assertThat(first.cookie()).isNotEqualTo(second.cookie());
    }
  }

  @Test
  void codeCalledInsideSeesOnlyThatNamespace(Host host) throws Exception {
    host.exec("ip", "link", "add", "br-inside", "type", "bridge");
    try (NetNs inside = NetNs.open(host.path())) {
      String devices = inside.call(() -> Files.readString(Path.of("/proc/thread-self/net/dev")));
      assertThat(devices).contains("br-inside");
    }
  }

  @Test
  void theCallersThreadNeverMoves(Host host) throws Exception {
    try (NetNs before = NetNs.current();
        NetNs inside = NetNs.open(host.path())) {
      FileId called = inside.call(NetNsTest::idHere);
      FileId visited = inside.visit(NetNsTest::idHere);

      assertThat(called).isEqualTo(inside.id());
      assertThat(visited).isEqualTo(inside.id());
      assertThat(idHere()).isEqualTo(before.id());
    }
  }

  @Test
  void aVisitReturnsToWhereItBeganHoweverDeepAndHoweverItEnds() {
    FileId home = idHere();
    try (NetNs outer = NetNs.create();
        NetNs inner = NetNs.create()) {
      for (int i = 0; i < 3; i++) {
        assertThat(
                outer.visit(
                    () -> {
                      assertThat(inner.visit(NetNsTest::idHere)).isEqualTo(inner.id());
                      return idHere();
                    }))
            .isEqualTo(outer.id());
        assertThat(idHere()).isEqualTo(home);
        assertThatThrownBy(
                () ->
                    outer.visit(
                        () -> {
                          throw new IllegalStateException("in the middle of it");
                        }))
            .isInstanceOf(IllegalStateException.class);
        assertThat(idHere()).isEqualTo(home);
      }
    }
  }

  @Test
  void aThreadThatVisitedIsAtHomeForTheNextErrand(Host host, Host other) {
    try (NetNs home = NetNs.current();
        NetNs inside = NetNs.open(host.path());
        NetNs elsewhere = NetNs.open(other.path())) {
      for (int i = 0; i < 50; i++) {
        assertThat(inside.visit(NetNsTest::idHere)).isEqualTo(inside.id());
        assertThat(idHere()).isEqualTo(home.id());
        assertThat(elsewhere.visit(NetNsTest::idHere)).isEqualTo(elsewhere.id());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "visit"})
  void whoeverWakesUpAVirtualThreadIsNotInside(String how, Host host) {
    assertThat(
            Command.of(
                    System.getProperty("java.home") + "/bin/java",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Djdk.virtualThreadScheduler.parallelism=2",
                    "-Djdk.virtualThreadScheduler.maxPoolSize=2",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    WokenCarrier.class.getName(),
                    how,
                    host.path().toString())
                .run()
                .stdout())
        .isEqualTo("home\n");
  }

  @Test
  void exceptionsComeBackAsTheyAre(Host host) {
    try (NetNs inside = NetNs.open(host.path())) {
      IOException checked = new IOException("from inside");
      IllegalStateException unchecked = new IllegalStateException("from inside");

      assertThatThrownBy(
              () ->
                  inside.call(
                      () -> {
                        throw checked;
                      }))
          .isSameAs(checked);
      assertThatThrownBy(
              () ->
                  inside.visit(
                      () -> {
                        throw unchecked;
                      }))
          .isSameAs(unchecked);
    }
  }

  @Test
  void anInterruptedCallerStillGetsTheResultAndKeepsItsFlag(Host host) {
    try (NetNs inside = NetNs.open(host.path())) {
      Thread.currentThread().interrupt();
      FileId id = inside.visit(NetNsTest::idHere);

      assertThat(id).isEqualTo(inside.id());
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aNewNamespaceIsEmptyAndLivesAsLongAsItsOwner() throws Exception {
    try (NetNs fresh = NetNs.create();
        NetNs home = NetNs.current()) {
      assertThat(fresh.id()).isNotEqualTo(home.id());
      String devices = fresh.call(() -> Files.readString(Path.of("/proc/thread-self/net/dev")));
      assertThat(devices.lines().skip(2)).singleElement().asString().startsWith("    lo:");
    }
  }

  @Test
  void aPathThatIsNoNamespaceIsRefused(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("blue"));

    assertThatThrownBy(() -> NetNs.open(file))
        .isInstanceOf(NetlinkException.class)
        .hasMessage(
            "open network namespace "
                + file
                + ": Invalid argument (EINVAL): it is no network namespace");
    assertThatThrownBy(() -> NetNs.open(directory.resolve("none")))
        .hasMessage("open " + directory.resolve("none") + ": No such file or directory (ENOENT)");
    assertThatThrownBy(() -> NetNs.open(Path.of("/proc/self/ns/uts")))
        .hasMessageContaining("no network namespace");
    assertThatThrownBy(() -> NetNs.ofDescriptor(9999))
        .satisfies(e -> assertThat(((NetlinkException) e).errno()).isEqualTo(Errno.EBADF));
  }

  private static FileId idHere() {
    try (NetNs here = NetNs.current()) {
      return here.id();
    }
  }

  @Test
  void aPipeThatNobodyWritesToIsRefusedAtOnce(@TempDir Path directory) {
    Path pipe = directory.resolve("pipe");
    Command.of("mkfifo", pipe.toString()).run();
    assertThatThrownBy(() -> NetNs.open(pipe)).hasMessageContaining("no network namespace");
  }
}
