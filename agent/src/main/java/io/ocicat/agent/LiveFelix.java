package io.ocicat.agent;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds Calico's own agent on a node. Two agents undo each other's routes and devices for ever, and
 * what either drops is dropped.
 *
 * <p>Felix shows itself as a process in the node's network namespace; where it is in another PID
 * namespace, by its health port together with its rules. Rules alone are what a stopped one leaves.
 */
final class LiveFelix {
  /** Starts an agent although Felix runs. */
  static final String OVERRIDE = "OCICAT_BESIDE_FELIX";

  private static final Path PROC = Path.of("/proc");
  private static final Set<String> PROCESSES = Set.of("calico-node", "calico-felix");
  private static final int USUAL_PORT = 9099;
  private static final int TIMEOUT_MILLIS = 300;
  private static final int LONGEST_STATUS_LINE = 64;
  private static final TableId OWN_TABLE = new TableId(TableFamily.IP, "calico");
  private static final TableId IPTABLES = new TableId(TableFamily.IP, "filter");
  private static final String CHAINS = "cali-";

  private LiveFelix() {}

  /**
   * Refuses to go on beside a Felix.
   *
   * @param host the calling thread's network namespace
   * @throws IllegalStateException when one runs, and the environment does not allow it
   */
  static void refuse(Map<String, String> environment, NetNs host) {
    if (environment.getOrDefault(OVERRIDE, "").strip().equals("true")) {
      return;
    }
    find(environment, host)
        .ifPresent(
            felix -> {
              throw new IllegalStateException(
                  "Felix is running on this node (%s), and two agents undo each other's work: stop it first, or set %s=true"
                      .formatted(felix, OVERRIDE));
            });
  }

  /** How a Felix of this network namespace shows itself. */
  static Optional<String> find(Map<String, String> environment, NetNs host) {
    return process()
        .or(
            () -> {
              int port = port(environment);
              return hasRules(host) && answers(port)
                  ? Optional.of("it answers at port %d".formatted(port))
                  : Optional.empty();
            });
  }

  private static Optional<String> process() {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
      Path here = Files.readSymbolicLink(PROC.resolve("thread-self/ns/net"));
      for (Path entry : entries) {
        Optional<String> name = nameOf(entry).filter(PROCESSES::contains);
        if (name.isPresent() && here.equals(namespaceOf(entry).orElse(null))) {
          return Optional.of("process %s, %s".formatted(entry.getFileName(), name.get()));
        }
      }
      return Optional.empty();
    } catch (IOException _) {
      // Without /proc nobody can tell; the port may.
      return Optional.empty();
    }
  }

  /** Empty for a process that has ended. */
  private static Optional<String> nameOf(Path entry) {
    try {
      return Optional.of(Files.readString(entry.resolve("comm")).strip());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Optional<Path> namespaceOf(Path entry) {
    try {
      return Optional.of(Files.readSymbolicLink(entry.resolve("ns/net")));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static int port(Map<String, String> environment) {
    String port = environment.getOrDefault("FELIX_HEALTHPORT", "").strip();
    return port.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(port) : USUAL_PORT;
  }

  private static boolean hasRules(NetNs host) {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      return net.find(Tables.get(OWN_TABLE)).isPresent()
          || net.list(Chains.in(IPTABLES).noneWhen(Errno.ENOENT)).stream()
              .anyMatch(LiveFelix::isFelix);
    }
  }

  private static boolean isFelix(Chain chain) {
    return switch (chain) {
      case Chain.Regular regular -> regular.id().name().startsWith(CHAINS);
      case Chain.Base _ -> false;
    };
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(
          new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port),
          TIMEOUT_MILLIS);
      socket.getOutputStream().write("GET /liveness HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
      String status = new String(socket.getInputStream().readNBytes(LONGEST_STATUS_LINE), US_ASCII);
      return status.matches("(?s)HTTP/1\\.[01] (200|204|503)\\b.*");
    } catch (IOException _) {
      return false;
    }
  }
}
