package io.ocicat.agent.kernel;

import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.link.Fdb;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Neighbours;
import io.ocicat.netlink.route.Netconf;
import io.ocicat.netlink.route.Routes;
import java.util.function.Consumer;

/** Passes on what the kernel reports of a namespace, until it is closed. */
public final class KernelMonitor implements AutoCloseable {
  private final Monitor<Record> routing;
  private final Monitor<Generation> ruleset;

  private KernelMonitor(Monitor<Record> routing, Monitor<Generation> ruleset) {
    this.routing = routing;
    this.ruleset = ruleset;
  }

  /**
   * Subscribes at once: what is read from the kernel afterwards misses nothing.
   *
   * @param reports called by two threads
   */
  public static KernelMonitor start(NetNs host, Consumer<KernelReport> reports) {
    Monitor<Record> routing =
        Monitor.open(
            host,
            Links.CHANGES,
            Addresses.CHANGES,
            Routes.CHANGES,
            Neighbours.CHANGES,
            Fdb.CHANGES,
            Netconf.CHANGES);
    Monitor<Generation> ruleset;
    try {
      ruleset = Monitor.open(host, Generation.CHANGES);
    } catch (RuntimeException e) {
      routing.close();
      throw e;
    }
    KernelMonitor monitor = new KernelMonitor(routing, ruleset);
    Thread.ofPlatform()
        .daemon()
        .name("agent-routing")
        .start(() -> pass(routing, event -> reports.accept(new KernelReport.OfRouting(event))));
    Thread.ofPlatform()
        .daemon()
        .name("agent-ruleset")
        .start(() -> pass(ruleset, event -> reports.accept(new KernelReport.OfRuleset(event))));
    return monitor;
  }

  private static <T> void pass(Monitor<T> monitor, Consumer<Monitor.Event<T>> consumer) {
    while (!monitor.isClosed()) {
      monitor.next().ifPresent(consumer);
    }
  }

  @Override
  public void close() {
    routing.close();
    ruleset.close();
  }
}
