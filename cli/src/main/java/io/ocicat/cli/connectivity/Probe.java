package io.ocicat.cli.connectivity;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.IcmpEcho;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteLookup;
import io.ocicat.netlink.route.Routes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Probes one address from one network namespace, with packets as large as its link takes and that
 * nobody may fragment: ICMP echo requests, then a TCP connection that carries full segments both
 * ways.
 *
 * @param limit how long to wait for each answer
 * @param port where {@link TcpResponders} listen
 */
record Probe(Duration limit, int port) {
  /** What any IPv4 link is assumed to take; IPv6 demands more, 1280. */
  private static final int LEAST_V4 = 576;

  private static final int LEAST_V6 = 1280;
  private static final Duration PER_SIZE = Duration.ofMillis(300);

  /**
   * What one address answered.
   *
   * @param latencyMicros of a small packet and its reply; 0 when there was none
   * @param mtu the largest packet that arrived; 0 when none did
   * @param expectedMtu the largest that the source's link takes and no router has refused; 0 when
   *     it has no route
   * @param failure what did not work; empty when all did
   */
  record Answer(
      IpAddress address,
      long latencyMicros,
      int mtu,
      int expectedMtu,
      TcpProbe.Outcome tcp,
      String failure) {
    boolean ok() {
      return failure.isEmpty();
    }

    /** Whether small packets pass, and larger ones that should do not. */
    boolean isTooLarge() {
      return mtu > 0 && mtu < expectedMtu;
    }
  }

  /**
   * @param strict whether a TCP connection that nobody answers counts as a failure
   */
  Answer run(Path netns, IpAddress to, boolean strict) {
    try (NetNs namespace = NetNs.open(netns)) {
      return namespace.call(() -> inside(to, strict));
    } catch (NetlinkException e) {
      return failed(to, String.valueOf(e.getMessage()));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Answer failed(IpAddress to, String why) {
    return new Answer(to, 0, 0, 0, TcpProbe.Outcome.UNTRIED, why);
  }

  /** On a thread that is in the source's namespace. */
  private Answer inside(IpAddress to, boolean strict) {
    int most = pathMtu(to);
    if (most == 0) {
      return failed(to, "no route leads there");
    }
    int mtu = echo(to, most, limit).isPresent() ? most : 0;
    Optional<Duration> small = echo(to, IcmpEcho.SMALLEST, limit);
    if (small.isPresent() && mtu == 0) {
      // A router on the way may have said what its link takes, and the kernel has learnt it. Or the
      // packet was lost for another reason, such as a neighbour that took long to answer.
      most = pathMtu(to);
      mtu = echo(to, most, limit).isPresent() ? most : largest(to, most);
    }
    TcpProbe.Outcome tcp = TcpProbe.run(to, port, limit);
    long micros = small.map(time -> Math.max(1, time.toNanos() / 1000)).orElse(0L);
    return new Answer(to, micros, mtu, most, tcp, judge(small.isPresent(), mtu, most, tcp, strict));
  }

  private String judge(boolean answered, int mtu, int most, TcpProbe.Outcome tcp, boolean strict) {
    boolean connected = tcp == TcpProbe.Outcome.CARRIED || tcp == TcpProbe.Outcome.REFUSED;
    if (!answered) {
      return connected
          ? "no answer to ICMP echo requests, though TCP works"
          : "no answer within %d ms".formatted(limit.toMillis());
    }
    if (mtu < most) {
      return "packets of more than %d bytes are lost on the way without a word, though the link takes %d"
          .formatted(mtu, most);
    }
    return switch (tcp) {
      case CARRIED, REFUSED, UNTRIED -> "";
      case STALLED -> "a TCP connection is made, but does not carry full segments";
      case UNANSWERED -> strict ? "no answer to TCP, though ICMP echo requests are answered" : "";
    };
  }

  private static Optional<Duration> echo(IpAddress to, int size, Duration limit) {
    try {
      return IcmpEcho.sendWhole(to, size, limit);
    } catch (NetlinkException _) {
      // Too large for the first link, or a router said that it cannot pass the packet on.
      return Optional.empty();
    }
  }

  /** By halving; sizes in between are few, and each that is lost takes its time. */
  private static int largest(IpAddress to, int most) {
    int arrives = to.isV4() ? LEAST_V4 : LEAST_V6;
    if (arrives >= most || echo(to, arrives, PER_SIZE).isEmpty()) {
      return IcmpEcho.SMALLEST;
    }
    int lost = most;
    while (lost - arrives > 1) {
      int middle = (arrives + lost) >>> 1;
      if (echo(to, middle, PER_SIZE).isPresent()) {
        arrives = middle;
      } else {
        lost = middle;
      }
    }
    return arrives;
  }

  /**
   * The largest packet for an address that the link in its direction takes or, where the kernel
   * knows more, its whole path; 0 without a route.
   */
  private static int pathMtu(IpAddress to) {
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE)) {
      Optional<Route> route = socket.find(Routes.lookup(RouteLookup.to(to)));
      return route
          .flatMap(Route::device)
          .flatMap(device -> socket.find(Links.byIndex(device.index())))
          .map(Link::mtu)
          .map(
              mtu -> {
                int own = route.get().metrics().mtu();
                return own == 0 ? mtu : Math.min(own, mtu);
              })
          .map(mtu -> Math.min(mtu, 0xffff))
          .orElse(0);
    } catch (NetlinkException _) {
      // A route that rejects packets leads nowhere.
      return 0;
    }
  }
}
