package io.ocicat.agent.startup;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;

/**
 * The node's address of one family.
 *
 * @param text as it is stored in the Node: the prefix length is left out where it is not known
 * @param prefix the address and the prefix length of its subnet, that of a single address where it
 *     is not known
 * @param interfaceName the interface that has it; empty when none has
 */
public record NodeAddress(String text, IpPrefix prefix, String interfaceName) {

  /** Reads what a Node has. */
  static Optional<NodeAddress> stored(String text, AddressAutodetection host) {
    return IpPrefix.tryParse(text)
        .or(() -> IpAddress.tryParse(text).map(IpPrefix::host))
        .map(
            prefix ->
                new NodeAddress(
                    text,
                    prefix,
                    host.find(prefix.address())
                        .map(AddressAutodetection.Detected::interfaceName)
                        .orElse("")));
  }

  static NodeAddress of(AddressAutodetection.Detected found) {
    return new NodeAddress(found.prefix().toString(), found.prefix(), found.interfaceName());
  }

  IpAddress address() {
    return prefix.address();
  }
}
