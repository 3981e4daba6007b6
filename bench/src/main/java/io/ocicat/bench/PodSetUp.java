package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Routes;
import io.ocicat.netlink.route.Scope;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Measures one pod's kernel work: a veth pair created with its container end in the pod's
 * namespace, both ends up, an address and two routes. Ours, warm, against podfloor.c, which sends
 * the same messages with nothing around them. The two take turns in one run, in a separate host
 * namespace; removing the link is not measured.
 *
 * <p>Usage: {@code PodSetUp <podfloor executable> [rounds]}
 */
public final class PodSetUp {
  private static final IpPrefix ADDRESS = IpPrefix.parse("10.65.0.7/32");
  private static final IpAddress GATEWAY = IpAddress.parse("169.254.1.1");
  private static final IpPrefix DEFAULT = IpPrefix.parse("0.0.0.0/0");

  /** Rounds before the measured ones, both contenders taking turns in the same way. */
  private static final int WARM_UP = 50;

  /**
   * Rounds of ours alone before that: a daemon has made thousands of pods, C needs no warm-up. The
   * JVM's second compiler compiles what was called five thousand times.
   */
  private static final int BATCHES = 220;

  private static final int BATCH = 50;
  private static final int GROUP = 4711;
  private static final Duration QUIET = Duration.ofMillis(30);
  private static final TargetFigure TARGET = TargetFigure.atMost(1.3, "×");

  private PodSetUp() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 500;
    try (NetNs host = NetNs.create();
        NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      // A child process starts in the namespace of the thread that starts it.
      Process process =
          host.call(
              () ->
                  new ProcessBuilder(args[0])
                      .redirectError(ProcessBuilder.Redirect.INHERIT)
                      .start());
      try (Writer toFloor = process.outputWriter(UTF_8);
          BufferedReader fromFloor =
              new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
        Sample ours = new Sample("netlink (Java, warm)");
        Sample floor = new Sample("podfloor (C)");
        warmUp(net);
        for (int i = 0; i < WARM_UP + rounds; i++) {
          // The kernel removes a namespace asynchronously, under the locks we measure: first both
          // measurements, then both namespaces go, then there is a pause. They take turns at being
          // first.
          try (NetNs one = NetNs.create();
              NetNs other = NetNs.create()) {
            boolean floorFirst = i % 2 == 0;
            long early = floorFirst ? onePodByC(toFloor, fromFloor, one) : onePodByUs(net, one);
            long late = floorFirst ? onePodByUs(net, other) : onePodByC(toFloor, fromFloor, other);
            if (i >= WARM_UP) {
              floor.add(floorFirst ? early : late);
              ours.add(floorFirst ? late : early);
            }
          }
          Thread.sleep(QUIET);
        }
        IO.println(floor.line(floor));
        IO.println(ours.line(floor));
        double ratio = (double) ours.percentile(0.5) / floor.percentile(0.5);
        IO.println(
            "Java against C: %.2f ×, target %s: %s"
                .formatted(ratio, TARGET.text(), TARGET.verdict(ratio)));
      } finally {
        process.destroy();
      }
    }
  }

  /** Many at a time, because removing many costs no more than removing one. */
  private static void warmUp(NetlinkSocket host) {
    for (int batch = 0; batch < BATCHES; batch++) {
      for (int i = 0; i < BATCH; i++) {
        try (NetNs pod = NetNs.create()) {
          host.attempt(List.of(Links.setGroup(setUp(host, pathOf(pod), "warm" + i), GROUP)));
        }
      }
      // Those whose namespace the kernel has removed by now are gone.
      host.attempt(List.of(Links.deleteGroup(GROUP)));
    }
  }

  private static long onePodByC(Writer to, BufferedReader from, NetNs pod) throws IOException {
    to.write(pathOf(pod) + " floor0\n");
    to.flush();
    String time = from.readLine();
    if (time == null) {
      throw new IOException("podfloor gave up, see above");
    }
    return Long.parseLong(time);
  }

  private static long onePodByUs(NetlinkSocket host, NetNs pod) {
    Path path = pathOf(pod);
    long from = System.nanoTime();
    int link = setUp(host, path, "java0");
    long time = System.nanoTime() - from;
    host.perform(Links.delete(link));
    return time;
  }

  private static int setUp(NetlinkSocket host, Path path, String name) {
    try (NetNs pod = NetNs.open(path);
        NetlinkSocket inside = NetlinkSocket.open(Protocol.ROUTE, pod)) {
      LinkSettings peer = LinkSettings.named("eth0").in(pod);
      Link outer = Links.create(host, LinkSettings.named(name).up(), new LinkKind.Veth(peer));
      Device eth0 = Device.of(outer.peer(), "eth0");
      inside.perform(
          Links.up(eth0.index()),
          Addresses.add(Address.of(ADDRESS, eth0)),
          Routes.add(Route.to(IpPrefix.host(GATEWAY)).dev(eth0).scope(Scope.LINK)),
          Routes.add(Route.to(DEFAULT).via(GATEWAY).dev(eth0)));
      return outer.index();
    }
  }

  private static Path pathOf(NetNs namespace) {
    return Path.of("/proc/" + ProcessHandle.current().pid() + "/fd/" + namespace.descriptor());
  }
}
