package io.ocicat.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NetfilterSocketsTest {

  @Test
  void oneThatWasGivenBackIsTheNextOneOfItsNamespaceAlone() {
    try (NetNs one = NetNs.create();
        NetNs other = NetNs.create()) {
      NetlinkSocket first = NetfilterSockets.borrow(one);
      NetlinkSocket second = NetfilterSockets.borrow(one);
      NetfilterSockets.release(one, first);
      NetlinkSocket elsewhere = NetfilterSockets.borrow(other);
      NetlinkSocket again = NetfilterSockets.borrow(one);

      assertThat(second).isNotSameAs(first);
      assertThat(elsewhere).isNotSameAs(first);
      assertThat(again).isSameAs(first);
      assertThat(again.find(Generation.current())).isPresent();
      NetfilterSockets.release(one, again);
      NetfilterSockets.release(one, second);
      NetfilterSockets.release(other, elsewhere);
    }
  }

  @Test
  void noneIsKeptForLong() {
    long before = sockets();
    try (NetNs namespace = NetNs.create()) {
      NetlinkSocket[] many = new NetlinkSocket[20];
      for (int i = 0; i < many.length; i++) {
        many[i] = NetfilterSockets.borrow(namespace);
      }
      for (NetlinkSocket socket : many) {
        NetfilterSockets.release(namespace, socket);
      }
    }
    Eventually.await("all are closed", Duration.ofSeconds(20), () -> sockets() <= before);
  }

  private static long sockets() {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(NetfilterSocketsTest::isSocket).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (IOException _) {
      return false;
    }
  }
}
