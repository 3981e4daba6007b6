package io.ocicat.agent.flannel;

import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonReader;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a flannel network: {@code net-conf.json}, or the value of {@code
 * <prefix>/config}.
 *
 * @param families those that are enabled, at least one
 */
record NetConf(Map<IpFamily, Range> families, Backend backend) {
  private static final int MAX_LENGTH = 1 << 20;
  private static final JsonReader JSON =
      new JsonReader(
          MAX_LENGTH, JsonReader.ANY_NUMBER_OF_TOKENS, JsonReader.DuplicateKeys.LAST_COUNTS);
  private static final IpPrefix PLACEHOLDER = IpPrefix.parse("0.0.0.0/0");

  NetConf {
    families = Map.copyOf(families);
  }

  /**
   * A family's network as it is written; {@link SubnetRange} is made of it.
   *
   * @param subnetLength 0 when it is not given
   */
  record Range(
      IpPrefix network, int subnetLength, @Nullable IpAddress min, @Nullable IpAddress max) {}

  /**
   * Reads a document.
   *
   * @param origin where it is from, for messages
   * @throws FlannelException naming every bad field
   */
  static NetConf read(String origin, String text) {
    try {
      return JsonFields.read(JSON.parseObject(text), NetConf::read);
    } catch (IllegalArgumentException | InvalidFieldsException e) {
      throw new FlannelException(
          "the network configuration in %s is invalid: %s".formatted(origin, e.getMessage()), e);
    }
  }

  private static NetConf read(JsonFields in) {
    Map<IpFamily, Range> families = new EnumMap<>(IpFamily.class);
    boolean v4 = in.bool("EnableIPv4").or(true);
    boolean v6 = in.bool("EnableIPv6").or(false);
    if (v4) {
      families.put(IpFamily.V4, range(in, IpFamily.V4));
    }
    if (v6) {
      families.put(IpFamily.V6, range(in, IpFamily.V6));
    }
    if (!v4 && !v6) {
      in.problem("EnableIPv4", "is false and EnableIPv6 is not true: enable one of them");
    }
    return new NetConf(families, Backend.read(in));
  }

  private static Range range(JsonFields in, IpFamily family) {
    String prefix = family == IpFamily.V4 ? "" : "IPv6";
    IpPrefix network =
        in.prefix(prefix + "Network")
            .check(it -> IpFamily.of(it.address()) == family, "must be a network of " + family)
            .required();
    return new Range(
        (IpFamily.of(network.address()) == family ? network : PLACEHOLDER).network(),
        in.integer(prefix + "SubnetLen", 1, family == IpFamily.V4 ? 30 : 126).or(0),
        address(in, prefix + "SubnetMin", family),
        address(in, prefix + "SubnetMax", family));
  }

  private static @Nullable IpAddress address(JsonFields in, String name, IpFamily family) {
    return in.ip(name)
        .check(it -> IpFamily.of(it) == family, "must be an address of " + family)
        .orNull();
  }

  boolean has(IpFamily family) {
    return families.containsKey(family);
  }

  /** IPv4 before IPv6. */
  List<IpFamily> enabled() {
    return Stream.of(IpFamily.values()).filter(this::has).toList();
  }

  Optional<IpPrefix> network(IpFamily family) {
    return Optional.ofNullable(families.get(family)).map(Range::network);
  }

  /**
   * The subnets that nodes may lease.
   *
   * @throws FlannelException when the family's values contradict each other
   */
  Optional<SubnetRange> range(IpFamily family) {
    return Optional.ofNullable(families.get(family)).map(SubnetRange::of);
  }
}
