package io.ocicat.agent.bird;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A route of BIRD's tables.
 *
 * @param type such as {@code unicast} or {@code blackhole}
 * @param protocol the name of the protocol that it comes from
 * @param isBest whether it is the best one to its destination
 * @param gateway the first next hop; empty when there is none
 * @param device likewise
 */
public record BirdRoute(
    String destination,
    String type,
    String protocol,
    boolean isBest,
    String gateway,
    String device) {
  private static final int ROUTES = 1007;

  private static final Pattern ROUTE =
      Pattern.compile(
          "(?<destination>\\S*)\\s+(?<type>\\S+) \\[(?<protocol>\\S+) [^\\]]*\\](?<flags>["
              + " *!]*).*");
  private static final Pattern HOP =
      Pattern.compile("\t(via (?<gateway>\\S+) on (?<iface>\\S+)|dev (?<dev>\\S+)).*");

  private BirdRoute via(String nextGateway, String nextDevice) {
    return new BirdRoute(destination, type, protocol, isBest, nextGateway, nextDevice);
  }

  /** Whether it is IPv6. */
  public boolean isIpv6() {
    return destination.indexOf(':') >= 0;
  }

  static List<BirdRoute> listOf(BirdReply reply) {
    List<BirdRoute> routes = new ArrayList<>();
    for (BirdReply.Line line : reply.lines()) {
      if (line.code() == ROUTES) {
        read(line.text(), routes);
      } else if (line.code() != 0) {
        throw malformed(line.text());
      }
    }
    return routes;
  }

  private static void read(String text, List<BirdRoute> routes) {
    if (text.isBlank() || text.startsWith("Table ")) {
      return;
    }
    if (text.startsWith("\t")) {
      Matcher hop = HOP.matcher(text);
      if (routes.isEmpty()) {
        throw malformed(text);
      }
      BirdRoute last = routes.getLast();
      // Of several equal next hops the first one stands for all.
      if (hop.matches() && last.device().isEmpty()) {
        String gateway = hop.group("gateway");
        routes.set(
            routes.size() - 1,
            gateway == null
                ? last.via("", hop.group("dev"))
                : last.via(gateway, hop.group("iface")));
      }
      return;
    }
    Matcher route = ROUTE.matcher(text);
    if (!route.matches()) {
      throw malformed(text);
    }
    String destination = route.group("destination");
    if (destination.isEmpty()) {
      if (routes.isEmpty()) {
        throw malformed(text);
      }
      destination = routes.getLast().destination();
    }
    routes.add(
        new BirdRoute(
            destination,
            route.group("type"),
            route.group("protocol"),
            route.group("flags").contains("*"),
            "",
            ""));
  }

  private static BirdException.Malformed malformed(String text) {
    return new BirdException.Malformed(
        "this does not describe a route of BIRD's: \"%s\"".formatted(text));
  }
}
