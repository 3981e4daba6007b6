package io.ocicat.cni;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Random results of the newest version, with every member present or not, null slots and unknown
 * members.
 */
final class RandomResults {
  private final Random random;

  RandomResults(Random random) {
    this.random = random;
  }

  Result result() {
    Result whole =
        Result.empty()
            .withInterfaces(list(this::interfaceOf))
            .withIps(list(this::ip))
            .withRoutes(list(this::route))
            .withDns(dns());
    ObjectNode json = whole.toJson();
    json.setAll(unknown());
    for (String list : List.of("interfaces", "ips")) {
      if (random.nextInt(3) == 0 && json.get(list) instanceof ArrayNode slots) {
        slots.insertNull(random.nextInt(slots.size() + 1));
      }
    }
    return Result.parse(json, SpecVersion.LATEST);
  }

  private Interface interfaceOf() {
    return new Interface(
        text(),
        random.nextBoolean() ? "" : new MacAddress(random.nextLong() >>> 16).toString(),
        random.nextInt(3) == 0 ? 0 : random.nextInt(65536),
        maybeText(),
        maybeText(),
        maybeText(),
        unknown());
  }

  private IpConfig ip() {
    return new IpConfig(
        maybe(() -> random.nextInt(-1, 4)), prefix(), maybe(this::address), unknown());
  }

  private Route route() {
    return new Route(
        prefix(),
        maybe(this::address),
        random.nextInt(3),
        random.nextInt(3),
        random.nextInt(3) * 2_000_000_000L,
        maybe(() -> (long) random.nextInt(2)),
        maybe(() -> random.nextInt(2) * 253),
        unknown());
  }

  private Dns dns() {
    return new Dns(list(this::text), maybeText(), list(this::text), list(this::text), unknown());
  }

  private IpAddress address() {
    return random.nextBoolean()
        ? IpAddress.ofV4(random.nextInt())
        : IpAddress.ofV6(random.nextLong() | 1, random.nextLong());
  }

  private IpPrefix prefix() {
    IpAddress address = address();
    return IpPrefix.of(address, random.nextInt(address.bitLength() + 1));
  }

  private Map<String, JsonNode> unknown() {
    Map<String, JsonNode> unknown = new HashMap<>();
    for (int i = random.nextInt(4) - 2; i > 0; i--) {
      unknown.put(
          "x-" + random.nextInt(5), CniJson.parse("{\"n\":[" + random.nextLong() + ",null]}"));
    }
    return unknown;
  }

  private String text() {
    return "<t" + random.nextInt(100) + "&\"\n>";
  }

  private String maybeText() {
    return random.nextBoolean() ? "" : text();
  }

  private <T> @Nullable T maybe(Supplier<T> value) {
    return random.nextBoolean() ? value.get() : null;
  }

  private <T> List<T> list(Supplier<T> element) {
    List<T> list = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      list.add(element.get());
    }
    return list;
  }
}
