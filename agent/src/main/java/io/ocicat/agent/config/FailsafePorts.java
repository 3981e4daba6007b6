package io.ocicat.agent.config;

import io.ocicat.agent.filter.FilterSettings.Failsafe;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonSyntaxException;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The ports that no policy of a host endpoint closes: so that a wrong policy does not lock the
 * operator out, or cut the node off from its datastore. In the environment {@code
 * tcp:192.0.2.0/24:22,udp:53}, in the resource a list of objects.
 */
final class FailsafePorts {
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int SCTP = 132;
  private static final int MAX_PORT = 0xffff;
  private static final Map<String, Integer> PROTOCOLS =
      Map.of("tcp", TCP, "udp", UDP, "sctp", SCTP);
  private static final JsonReader JSON =
      new JsonReader(
          1 << 16, JsonReader.ANY_NUMBER_OF_TOKENS, JsonReader.DuplicateKeys.LAST_COUNTS);
  private static final Pattern ITEM =
      Pattern.compile("(?:(tcp|udp|sctp):)?(?:(?<net>\\S+):)?(?<port>\\d{1,5})");

  /** SSH, BGP, etcd, Typha, the API server, Calico's own etcd; DHCP. */
  static final List<Failsafe> INBOUND =
      of(List.of(22, 179, 2379, 2380, 5473, 6443, 6666, 6667), List.of(68));

  /** The same without SSH; DNS and DHCP. */
  static final List<Failsafe> OUTBOUND =
      of(List.of(179, 2379, 2380, 5473, 6443, 6666, 6667), List.of(53, 67));

  static final ValueType<List<Failsafe>> TYPE =
      new ValueType<>(
          "ports as in tcp:192.0.2.0/24:22,udp:53, with commas between",
          FailsafePorts::parse,
          FailsafePorts::print,
          List.of());

  private FailsafePorts() {}

  private static List<Failsafe> of(List<Integer> tcp, List<Integer> udp) {
    return IntStream.range(0, tcp.size() + udp.size())
        .mapToObj(
            i ->
                i < tcp.size()
                    ? new Failsafe(TCP, tcp.get(i), Optional.empty())
                    : new Failsafe(UDP, udp.get(i - tcp.size()), Optional.empty()))
        .toList();
  }

  private static @Nullable List<Failsafe> parse(String text) {
    List<Failsafe> ports = new ArrayList<>();
    if (text.startsWith("[")) {
      try {
        for (JsonNode item : JSON.parse(text).values()) {
          Failsafe port =
              failsafe(
                  item.path("protocol").asString("tcp"),
                  item.path("net").asString(""),
                  item.path("port").asInt(-1));
          if (port == null) {
            return null;
          }
          ports.add(port);
        }
        return ports;
      } catch (JsonSyntaxException _) {
        return null;
      }
    }
    for (String item : text.split(",", -1)) {
      Matcher parts = ITEM.matcher(item.strip().toLowerCase(Locale.ROOT));
      Failsafe port =
          parts.matches()
              ? failsafe(
                  Optional.ofNullable(parts.group(1)).orElse("tcp"),
                  Optional.ofNullable(parts.group("net")).orElse(""),
                  Integer.parseInt(parts.group("port")))
              : null;
      if (port == null) {
        return null;
      }
      ports.add(port);
    }
    return ports;
  }

  private static @Nullable Failsafe failsafe(String protocol, String net, int port) {
    Integer number = PROTOCOLS.get(protocol.toLowerCase(Locale.ROOT));
    if (number == null || port < 0 || port > MAX_PORT) {
      return null;
    }
    if (net.isEmpty()) {
      return new Failsafe(number, port, Optional.empty());
    }
    String bare = net.replace("[", "").replace("]", "");
    return IpPrefix.tryParse(bare)
        .or(() -> IpAddress.tryParse(bare).map(IpPrefix::host))
        .map(prefix -> new Failsafe(number, port, Optional.of(prefix.network())))
        .orElse(null);
  }

  private static String print(List<Failsafe> ports) {
    return ports.stream()
        .map(
            port ->
                name(port.protocol())
                    + port.net().map(net -> ":" + net).orElse("")
                    + ":"
                    + port.port())
        .collect(Collectors.joining(","));
  }

  private static String name(int protocol) {
    return PROTOCOLS.entrySet().stream()
        .filter(entry -> entry.getValue() == protocol)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }
}
