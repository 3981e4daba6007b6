package io.ocicat.agent.view;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A block of addresses: which node has it, and which addresses in it are used on other nodes.
 *
 * @param owner the node it belongs to; null when it belongs to none
 * @param borrowed the addresses that are used on a node other than the owner, with that node
 */
public record AddressBlock(IpPrefix cidr, @Nullable String owner, Map<IpAddress, String> borrowed) {
  private static final String HOST = "host:";

  public AddressBlock {
    borrowed = Map.copyOf(borrowed);
  }

  public static AddressBlock of(Resource resource) {
    IpamBlock block = IpamBlock.of(resource);
    String affinity = block.affinity();
    String owner =
        affinity != null && affinity.startsWith(HOST) ? affinity.substring(HOST.length()) : null;
    Map<IpAddress, String> borrowed = new TreeMap<>();
    for (int ordinal = 0; ordinal < block.allocations().size(); ordinal++) {
      int index = block.allocations().get(ordinal);
      if (index != IpamBlock.FREE) {
        String node = block.attributes().get(index).owner().getOrDefault("node", "");
        if (!node.isEmpty() && !node.equals(owner)) {
          borrowed.put(block.cidr().first().plus(ordinal), node);
        }
      }
    }
    return new AddressBlock(block.cidr().network(), owner, borrowed);
  }

  public boolean isSingleAddress() {
    return cidr.length() == cidr.address().bitLength();
  }
}
