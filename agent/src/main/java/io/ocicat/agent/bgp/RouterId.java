package io.ocicat.agent.bgp;

import io.ocicat.agent.view.BgpNode;
import io.ocicat.base.Quoted;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/** The number that tells BGP speakers apart, written as an IPv4 address. */
final class RouterId {
  private static final String HASH = "hash";
  private static final int LENGTH = 4;
  private static final int LAST_UNICAST = 223;
  private static final int MULTICAST_TO_UNICAST = 32;

  private RouterId() {}

  /** As configured, else the node's IPv4 address, else made of its name. */
  static IpAddress of(BgpNode node, String configured, Collection<String> problems) {
    if (!configured.isEmpty() && !configured.equals(HASH)) {
      Optional<IpAddress> given =
          IpAddress.tryParse(configured)
              .filter(address -> address.isV4() && !address.isUnspecified());
      if (given.isPresent()) {
        return given.get();
      }
      problems.add(
          "CALICO_ROUTER_ID must be an IPv4 address or \"hash\", not %s: it is ignored"
              .formatted(Quoted.brief(configured)));
    }
    return configured.equals(HASH)
        ? ofName(node.name())
        : node.address(IpFamily.V4).orElseGet(() -> ofName(node.name()));
  }

  /** The first bytes of the name's SHA-256, moved out of the multicast addresses. */
  static IpAddress ofName(String name) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      byte[] id = Arrays.copyOf(hash, LENGTH);
      if (Byte.toUnsignedInt(id[0]) > LAST_UNICAST) {
        id[0] = (byte) (id[0] - MULTICAST_TO_UNICAST);
      }
      return IpAddress.ofBytes(id);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
