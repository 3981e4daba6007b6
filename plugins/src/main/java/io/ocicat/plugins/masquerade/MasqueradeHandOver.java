package io.ocicat.plugins.masquerade;

import io.ocicat.cni.CniException;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.plugins.iptables.IptablesChains;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hands masquerading over to the Go plugins, whose DEL then removes it: as an iptables chain, which
 * all of their versions know. The caller ensures that no ADD or DEL of the attachment runs
 * meanwhile.
 */
public final class MasqueradeHandOver {
  private MasqueradeHandOver() {}

  /** The addresses in our table, by the label of their owner. */
  public static Map<String, List<IpPrefix>> owners(NetnsSockets host) {
    Map<String, List<IpPrefix>> owners = new TreeMap<>();
    if (host.hasNfTables()) {
      AddressHolders holdings = new AddressHolders(host.netfilter());
      holdings.labels().forEach(label -> owners.put(label, holdings.of(label)));
    }
    return owners;
  }

  /**
   * Checks that {@link #handOver} will work.
   *
   * @throws CniException when there is no usable iptables
   */
  public static void require(NetnsSockets host, List<IpPrefix> addresses) {
    addresses.stream()
        .map(address -> IpFamily.of(address.address()))
        .distinct()
        .forEach(family -> IptablesChains.requireUsable(host, family, "nat"));
  }

  /** Creates the Go form, then removes ours: at no time is an address not masqueraded. */
  public static void handOver(NetnsSockets host, AttachmentOwner owner, List<IpPrefix> addresses) {
    GoMasquerade.install(host, owner, addresses);
    release(host, owner.label());
  }

  /** Removes ours. */
  public static void release(NetnsSockets host, String label) {
    Masquerade.remove(host, label);
  }
}
