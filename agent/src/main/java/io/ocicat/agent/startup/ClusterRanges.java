package io.ocicat.agent.startup;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.cluster.ClusterCidr;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads the ranges that nodes get their parts of, with the meaning and the defaults of
 * kube-controller-manager's {@code --cluster-cidr} and {@code --node-cidr-mask-size}.
 */
final class ClusterRanges {
  static final String RANGES = "OCICAT_CLUSTER_CIDR";
  static final String SIZE = "OCICAT_NODE_CIDR_MASK_SIZE";

  private static final int DEFAULT_V4 = 24;
  private static final int DEFAULT_V6 = 64;

  /** host-local needs four addresses: network, gateway, a pod and broadcast. */
  private static final int SPARE_BITS = 2;

  private ClusterRanges() {}

  /**
   * Returns at most one range of each family; none when none is configured.
   *
   * @throws StartupException when a setting is invalid
   */
  static List<ClusterCidr> of(StartupSettings settings) {
    List<IpPrefix> ranges = new ArrayList<>();
    for (String text :
        Stream.of(settings.text(RANGES).split(","))
            .map(String::strip)
            .filter(text -> !text.isEmpty())
            .toList()) {
      IpPrefix range =
          IpPrefix.tryParse(text)
              .orElseThrow(
                  () ->
                      StartupException.badSetting(
                          "%s must be a network, or one of each family with a comma in between, as in 10.244.0.0/16,fd00:10:244::/48, not %s"
                              .formatted(RANGES, Quoted.brief(settings.text(RANGES)))));
      if (!range.isNetwork()) {
        throw StartupException.badSetting(
            "%s: %s is an address in a network: write %s"
                .formatted(RANGES, range, range.network()));
      }
      if (ranges.stream().anyMatch(other -> other.isV4() == range.isV4())) {
        throw StartupException.badSetting(
            "%s has two %s networks, and nodes get a part of one: remove one of %s"
                .formatted(RANGES, family(range), Quoted.brief(settings.text(RANGES))));
      }
      ranges.add(range);
    }
    return ranges.stream()
        .map(range -> new ClusterCidr(range, size(settings, range, ranges.size())))
        .toList();
  }

  private static int size(StartupSettings settings, IpPrefix range, int ranges) {
    String own = SIZE + (range.isV4() ? "_IPV4" : "_IPV6");
    String common = settings.text(SIZE);
    if (!common.isEmpty() && ranges > 1) {
      throw StartupException.badSetting(
          "%s is for one range, and %s has two: set %s_IPV4 and %s_IPV6"
              .formatted(SIZE, RANGES, SIZE, SIZE));
    }
    if (!common.isEmpty() && !settings.text(own).isEmpty()) {
      throw StartupException.badSetting("%s and %s mean the same: remove one".formatted(SIZE, own));
    }
    String variable = common.isEmpty() ? own : SIZE;
    String text = settings.text(variable);
    int most = range.address().bitLength() - SPARE_BITS;
    if (text.isEmpty()) {
      int usual = range.isV4() ? DEFAULT_V4 : DEFAULT_V6;
      if (usual < range.length()) {
        throw StartupException.badSetting(
            "%s: %s is smaller than the range of one node, a /%d: use a larger network, or set %s to %d–%d"
                .formatted(RANGES, range, usual, own, range.length(), most));
      }
      return usual;
    }
    int size = text.matches("\\d{1,3}") ? Integer.parseInt(text) : -1;
    if (size < range.length() || size > most) {
      throw StartupException.badSetting(
          "%s must be %d–%d, the prefix length of a part of %s, not %s"
              .formatted(variable, range.length(), most, range, Quoted.brief(text)));
    }
    return size;
  }

  private static String family(IpPrefix range) {
    return range.isV4() ? "IPv4" : "IPv6";
  }
}
