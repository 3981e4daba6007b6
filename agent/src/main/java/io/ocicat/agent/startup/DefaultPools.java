package io.ocicat.agent.startup;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Creates a pool for each family that has none, as calico/node does. Does nothing once there is
 * one.
 *
 * @param hostAddresses the node's own addresses, which a pool must not contain
 * @param hasIpv6 whether the kernel has IPv6
 */
record DefaultPools(
    Datastore datastore,
    StartupSettings settings,
    List<IpAddress> hostAddresses,
    boolean hasIpv6,
    LongSupplier random) {
  private static final String V4 = "CALICO_IPV4POOL";
  private static final String V6 = "CALICO_IPV6POOL";
  private static final IpPrefix USUAL = IpPrefix.parse("192.168.0.0/16");
  private static final int ULA_LENGTH = 48;

  /**
   * Creates what is missing.
   *
   * @throws StartupException when a setting is invalid
   */
  void ensure() {
    if (settings.flag("NO_DEFAULT_POOLS", false)) {
      for (String variable : List.of(V4 + "_CIDR", V6 + "_CIDR")) {
        if (!settings.text(variable).isEmpty()) {
          throw StartupException.badSetting(
              "%s and NO_DEFAULT_POOLS contradict each other: remove one".formatted(variable));
        }
      }
      return;
    }
    List<IpVersion> present =
        datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
            .flatMap(pool -> version(pool).stream())
            .toList();
    if (!present.contains(IpVersion.V4)) {
      create("default-ipv4-ippool", V4, this::subnetV4, true);
    }
    if (!present.contains(IpVersion.V6) && hasIpv6) {
      create("default-ipv6-ippool", V6, this::subnetV6, false);
    }
  }

  private static Optional<IpVersion> version(Resource pool) {
    return pool.text("spec", "cidr").flatMap(IpPrefix::tryParse).map(IpVersion::of);
  }

  private void create(String name, String variable, Supplier<IpPrefix> usual, boolean masquerade) {
    String given = settings.text(variable + "_CIDR");
    // Flannel's pods have addresses of flannel's network.
    boolean unwanted = given.isEmpty() && settings.usesFlannel();
    if (given.equalsIgnoreCase("none") || unwanted) {
      return;
    }
    IpPrefix cidr = given.isEmpty() ? usual.get() : cidr(variable + "_CIDR", given);
    Resource pool =
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", name),
            spec -> {
              spec.put("cidr", cidr.network().toString());
              spec.put("vxlanMode", mode(variable + "_VXLAN"));
              spec.put("ipipMode", cidr.isV4() ? mode(V4 + "_IPIP") : "Never");
              spec.put("natOutgoing", settings.flag(variable + "_NAT_OUTGOING", masquerade));
              spec.put("disableBGPExport", settings.flag(variable + "_DISABLE_BGP_EXPORT", false));
              spec.put("blockSize", blockSize(variable + "_BLOCK_SIZE", cidr.isV4()));
              String selector = settings.text(variable + "_NODE_SELECTOR");
              spec.put("nodeSelector", selector.isEmpty() ? "all()" : selector);
            });
    try {
      datastore.create(pool);
    } catch (ExistsException _) {
      // Another node was faster.
    } catch (InvalidException e) {
      throw new StartupException(
          StartupException.Reason.BAD_SETTING,
          "the pool that %s_… describe cannot be created: %s".formatted(variable, e.getMessage()),
          e);
    }
  }

  private IpPrefix cidr(String variable, String text) {
    return IpPrefix.tryParse(text)
        .filter(prefix -> prefix.isV4() == variable.startsWith(V4))
        .orElseThrow(
            () ->
                StartupException.badSetting(
                    "%s must be an %s network or none, not \"%s\""
                        .formatted(variable, variable.startsWith(V4) ? "IPv4" : "IPv6", text)));
  }

  private String mode(String variable) {
    return switch (settings.word(variable)) {
      case "", "off", "never" -> "Never";
      case "always" -> "Always";
      case "cross-subnet", "crosssubnet" -> "CrossSubnet";
      default ->
          throw StartupException.badSetting(
              "%s must be Always, CrossSubnet or Never, not \"%s\""
                  .formatted(variable, settings.text(variable)));
    };
  }

  private int blockSize(String variable, boolean v4) {
    String text = settings.text(variable);
    if (text.isEmpty()) {
      return v4 ? 26 : 122;
    }
    int least = v4 ? 20 : 116;
    int most = v4 ? 32 : 128;
    int size = text.matches("\\d{1,3}") ? Integer.parseInt(text) : -1;
    if (size < least || size > most) {
      throw StartupException.badSetting(
          "%s must be %d–%d, not \"%s\"".formatted(variable, least, most, text));
    }
    return size;
  }

  /** The cluster's own choice, else Calico's usual subnet, else one that the host is not in. */
  private IpPrefix subnetV4() {
    return ofCluster(IpPrefix::isV4)
        .or(
            () ->
                Stream.concat(
                        Stream.of(USUAL),
                        IntStream.rangeClosed(16, 31)
                            .mapToObj(i -> IpPrefix.parse("172.%d.0.0/16".formatted(i))))
                    .filter(subnet -> hostAddresses.stream().noneMatch(subnet::contains))
                    .findFirst())
        .orElse(USUAL);
  }

  private IpPrefix subnetV6() {
    return ofCluster(IpPrefix::isV6)
        .orElseGet(
            () -> {
              // RFC 4193: fd, 40 random bits, no subnet.
              long high = 0xfdL << 56 | random.getAsLong() >>> 8;
              return IpPrefix.of(IpAddress.ofV6(high, 0), ULA_LENGTH).network();
            });
  }

  private Optional<IpPrefix> ofCluster(Predicate<IpPrefix> family) {
    return datastore.cluster().podSubnets().stream()
        .flatMap(text -> IpPrefix.tryParse(text).stream())
        .filter(family)
        .findFirst();
  }
}
