package io.ocicat.agent.bgp;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The protocols of BIRD that are not sessions. Tools of others know them by the beginning of their
 * names: direct, static, kernel.
 */
final class ProtocolText {
  private ProtocolText() {}

  /** The name of a family's channel. */
  static String channel(IpFamily family) {
    return family.toString().toLowerCase(Locale.ROOT);
  }

  /** Next hops are resolved by the routes of interfaces. */
  static void device(BirdText text, EffectiveBgp bgp) {
    List<String> excluded = new ArrayList<>(bgp.global().ignoredInterfaces());
    bgp.config().interfacePrefixes().forEach(prefix -> excluded.add(prefix + "*"));
    excluded.add("kube-ipvs*");
    StringBuilder interfaces = new StringBuilder();
    excluded.stream()
        .distinct()
        .sorted()
        .forEach(pattern -> interfaces.append("-\"").append(pattern).append("\", "));
    text.line("protocol device device1 { scan time 2; }");
    text.open("protocol direct direct1");
    bgp.families().forEach(family -> text.line(channel(family) + ";"));
    text.line("interface %s\"*\";".formatted(interfaces));
    text.close();
  }

  static void statics(
      BirdText text,
      IpFamily family,
      List<IpPrefix> blocks,
      ServicePrefixes services,
      List<PeerSession> sessions) {
    Map<IpPrefix, String> routes = new TreeMap<>();
    for (PeerSession session : sessions) {
      IpAddress gateway = session.gateway();
      if (gateway != null && session.family() == family) {
        routes.putIfAbsent(IpPrefix.host(session.peer()), "via " + gateway);
      }
    }
    blocks.stream()
        .filter(block -> block.length() < block.address().bitLength())
        .forEach(block -> routes.putIfAbsent(block, "blackhole"));
    services.announced(family).forEach(range -> routes.putIfAbsent(range, "blackhole"));
    text.open("protocol static static" + RouteFilters.suffix(family));
    text.line(channel(family) + ";");
    routes.forEach((prefix, target) -> text.line("route %s %s;".formatted(prefix, target)));
    text.close();
  }

  /**
   * With any other metric than 0, BIRD would ignore the one that the filter sets. BIRD notices that
   * somebody removed one of its routes only when it scans them, so it does that twice as often as
   * confd lets it.
   */
  static void kernel(BirdText text, IpFamily family) {
    String suffix = RouteFilters.suffix(family);
    text.open("protocol kernel kernel" + suffix);
    text.line("learn;");
    text.line("persist;");
    text.line("graceful restart;");
    text.line("scan time 1;");
    text.line("metric 0;");
    text.line("merge paths on;");
    text.open(channel(family));
    text.line("import filter from_kernel%s;".formatted(suffix));
    text.line("export filter to_kernel%s;".formatted(suffix));
    text.closeChannel();
    text.close();
  }

  /** BIRD cannot listen on one address for some sessions and on all for others. */
  static void template(BirdText text, IpFamily family, boolean bound) {
    text.open("template bgp peers" + RouteFilters.suffix(family));
    text.line("graceful restart on;");
    text.line("connect delay time 2;");
    text.line("connect retry time 5;");
    text.line("error wait time 5, 30;");
    if (bound) {
      text.line("strict bind on;");
    }
    text.open(channel(family));
    text.line("add paths on;");
    text.line("gateway recursive;");
    text.closeChannel();
    text.close();
  }
}
