package io.ocicat.cni;

import io.ocicat.cni.json.Json;
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
 * What ADD returns and prevResult carries: one model for all seven versions. Plugins build it with
 * {@link #empty()} and the withers, and whoever prints it says in which version. Immutable; members
 * this code does not know are kept on every object.
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

  /** Nothing yet, in the newest version. */
  public static Result empty() {
    return EMPTY;
  }

  public static Result empty(SpecVersion version) {
    return new Result(version, List.of(), List.of(), List.of(), Dns.NONE, Map.of());
  }

  /**
   * What a plugin printed on ADD, or what a cache holds. A document that names no version (or an
   * empty one) is in the version it was asked for.
   *
   * @throws CniException with code 6 for what is no result, 1 for a version nobody knows
   */
  public static Result parse(byte[] document, SpecVersion requested) {
    JsonNode json;
    try {
      json = Json.parse(document);
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
   * The prevResult of a request: its version must be of the family of the configuration's.
   *
   * @throws CniException with code 6
   */
  public static Result parsePrevious(JsonNode document, SpecVersion config) {
    return ResultReader.readPrevious(document, config);
  }

  /** In the version it has. */
  public ObjectNode toJson() {
    return ResultWriter.write(this);
  }

  public ObjectNode toJson(SpecVersion target) {
    return convertTo(target).toJson();
  }

  /**
   * This result as {@code target} can say it. Versions before 1.0.0 lose an interface's mtu,
   * socketPath and pciID and all of a route but dst and gw; 0.1.0 and 0.2.0 also the interfaces and
   * all but the first address of each family.
   *
   * @throws CniException when 0.1.0 or 0.2.0 is wanted and there is no address
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

  /** The interface an address is on, when it names one that exists. */
  public Optional<Interface> interfaceOf(IpConfig ip) {
    Integer index = ip.interfaceIndex();
    return index == null || index < 0 || index >= interfaceSlots.size()
        ? Optional.empty()
        : Optional.ofNullable(interfaceSlots.get(index));
  }

  /** The position of the first interface that matches, as {@link IpConfig#onInterface} wants it. */
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

  /** With these instead of the present interfaces. */
  public Result withInterfaces(List<Interface> replacement) {
    return new Result(version, new ArrayList<>(replacement), ipSlots, routes, dns, unknown);
  }

  /** With every interface changed in its place. */
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

  /** With these instead of the present addresses. */
  public Result withIps(List<IpConfig> replacement) {
    return new Result(version, interfaceSlots, new ArrayList<>(replacement), routes, dns, unknown);
  }

  /** With every address changed in its place. */
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

  /** With these instead of the present routes. */
  public Result withRoutes(List<Route> replacement) {
    return new Result(version, interfaceSlots, ipSlots, replacement, dns, unknown);
  }

  public Result withDns(Dns replacement) {
    return new Result(version, interfaceSlots, ipSlots, routes, replacement, unknown);
  }
}
