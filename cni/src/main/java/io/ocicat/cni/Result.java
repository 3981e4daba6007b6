package io.ocicat.cni;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The result of an ADD, also passed on as prevResult: one model for all seven versions. Plugins
 * build it with {@link #empty()} and the withers; the version is chosen when it is printed.
 * Immutable; unrecognised members of every object are kept.
 *
 * <p>Elements that were null in the document keep their slots, because addresses point to
 * interfaces by position; {@link #interfaces()} and {@link #ips()} leave them out.
 */
public record Result(
    SpecVersion version,
    List<@Nullable Interface> interfaceSlots,
    List<@Nullable IpConfig> ipSlots,
    List<Route> routes,
    Dns dns,
    Map<String, JsonNode> unknown) {
  private static final Result EMPTY = empty(SpecVersion.LATEST);

  public Result {
    interfaceSlots = Collections.unmodifiableList(new ArrayList<>(interfaceSlots));
    ipSlots = Collections.unmodifiableList(new ArrayList<>(ipSlots));
    routes = List.copyOf(routes);
    unknown = ExtraMembers.copyOf(unknown);
  }

  /** An empty result, in the newest version. */
  public static Result empty() {
    return EMPTY;
  }

  public static Result empty(SpecVersion version) {
    return new Result(version, List.of(), List.of(), List.of(), Dns.NONE, Map.of());
  }

  /**
   * Parses what a plugin printed on ADD, or what a cache contains. A document without a version (or
   * with an empty one) has the requested version.
   *
   * @throws CniException with code 6 for an invalid result, 1 for an unknown version
   */
  public static Result parse(byte[] document, SpecVersion requested) {
    JsonNode json;
    try {
      json = CniJson.parse(document);
    } catch (CniException e) {
      throw e.prefixed("failed to unmarshal raw result: ");
    }
    return parse(json, requested);
  }

  /** See {@link #parse(byte[], SpecVersion)}; the literal null is an empty result. */
  public static Result parse(JsonNode document, SpecVersion requested) {
    return ResultReader.read(document, requested);
  }

  /**
   * The prevResult of a request: its version must be in the family of the configuration's.
   *
   * @throws CniException with code 6
   */
  public static Result parsePrevious(JsonNode document, SpecVersion config) {
    return ResultReader.readPrevious(document, config);
  }

  /** In its own version. */
  public ObjectNode toJson() {
    return ResultWriter.write(this);
  }

  public ObjectNode toJson(SpecVersion target) {
    return convertTo(target).toJson();
  }

  /**
   * This result converted to {@code target}. Versions before 1.0.0 lose an interface's mtu,
   * socketPath and pciID and all of a route but dst and gw; 0.1.0 and 0.2.0 also the interfaces and
   * all but the first address of each family.
   *
   * @throws CniException when {@code target} is 0.1.0 or 0.2.0 and there is no address
   */
  public Result convertTo(SpecVersion target) {
    return ResultConversion.convert(this, target);
  }

  /** The interfaces without null slots: positions may differ from {@link IpConfig}'s indexes. */
  public List<Interface> interfaces() {
    return filled(interfaceSlots);
  }

  public List<IpConfig> ips() {
    return filled(ipSlots);
  }

  private static <T> List<T> filled(List<@Nullable T> slots) {
    List<T> filled = new ArrayList<>(slots.size());
    for (T slot : slots) {
      if (slot != null) {
        filled.add(slot);
      }
    }
    return Collections.unmodifiableList(filled);
  }

  /** The interface that an address refers to, if it exists. */
  public Optional<Interface> interfaceOf(IpConfig ip) {
    Integer index = ip.interfaceIndex();
    return index == null || index < 0 || index >= interfaceSlots.size()
        ? Optional.empty()
        : Optional.ofNullable(interfaceSlots.get(index));
  }

  /**
   * The position of the first interface that matches, as {@link IpConfig#onInterface} expects it.
   */
  public OptionalInt indexOf(Predicate<Interface> wanted) {
    for (int i = 0; i < interfaceSlots.size(); i++) {
      Interface found = interfaceSlots.get(i);
      if (found != null && wanted.test(found)) {
        return OptionalInt.of(i);
      }
    }
    return OptionalInt.empty();
  }

  /** With one more interface, at the end. */
  public Result withInterface(Interface added) {
    List<@Nullable Interface> more = new ArrayList<>(interfaceSlots);
    more.add(added);
    return new Result(version, more, ipSlots, routes, dns, unknown);
  }

  /** With these in place of the current interfaces. */
  public Result withInterfaces(List<Interface> replacement) {
    return new Result(version, new ArrayList<>(replacement), ipSlots, routes, dns, unknown);
  }

  /** With every interface changed in place. */
  public Result mapInterfaces(UnaryOperator<Interface> change) {
    List<@Nullable Interface> changed = new ArrayList<>();
    for (Interface slot : interfaceSlots) {
      changed.add(slot == null ? null : change.apply(slot));
    }
    return new Result(version, changed, ipSlots, routes, dns, unknown);
  }

  /** With one more address, at the end. */
  public Result withIp(IpConfig added) {
    List<@Nullable IpConfig> more = new ArrayList<>(ipSlots);
    more.add(added);
    return new Result(version, interfaceSlots, more, routes, dns, unknown);
  }

  /** With these in place of the current addresses. */
  public Result withIps(List<IpConfig> replacement) {
    return new Result(version, interfaceSlots, new ArrayList<>(replacement), routes, dns, unknown);
  }

  /** With every address changed in place. */
  public Result mapIps(UnaryOperator<IpConfig> change) {
    List<@Nullable IpConfig> changed = new ArrayList<>();
    for (IpConfig slot : ipSlots) {
      changed.add(slot == null ? null : change.apply(slot));
    }
    return new Result(version, interfaceSlots, changed, routes, dns, unknown);
  }

  /** With one more route, at the end. */
  public Result withRoute(Route added) {
    List<Route> more = new ArrayList<>(routes);
    more.add(added);
    return withRoutes(more);
  }

  /** With these in place of the current routes. */
  public Result withRoutes(List<Route> replacement) {
    return new Result(version, interfaceSlots, ipSlots, replacement, dns, unknown);
  }

  public Result withDns(Dns replacement) {
    return new Result(version, interfaceSlots, ipSlots, routes, replacement, unknown);
  }
}
