package io.ocicat.cli.pod;

import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The addresses of the host, which its pods have that are in its network. */
final class HostAddresses {
  private static final int DISCARD = 9;

  /**
   * Documentation addresses (RFC 5737, RFC 3849): anything that only the default route leads to.
   */
  private static final List<String> ELSEWHERE = List.of("192.0.2.1", "2001:db8::1");

  private HostAddresses() {}

  /** Those that packets to other networks would have, one of each family; no packet is sent. */
  static List<String> ofRoutes() {
    List<String> found = new ArrayList<>();
    for (String elsewhere : ELSEWHERE) {
      try (DatagramSocket socket = new DatagramSocket()) {
        socket.connect(
            new InetSocketAddress(
                InetAddress.getByAddress(IpAddress.parse(elsewhere).toByteArray()), DISCARD));
        InetAddress own = socket.getLocalAddress();
        if (!own.isAnyLocalAddress() && !own.isLoopbackAddress()) {
          found.add(IpAddress.ofBytes(own.getAddress()).toString());
        }
      } catch (IOException | java.io.UncheckedIOException _) {
        // There is no route of this family.
      }
    }
    return found;
  }
}
