package io.ocicat.plugins.masquerade;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Value;
import io.ocicat.plugins.net.NamingHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The set element that lists an owner's addresses of one family: the key is a hash of its label,
 * the comment is the list. No packet is ever compared with it; the key has the type of an interface
 * name because nft knows no other text keys.
 *
 * @param list the comment
 */
record OwnerEntry(IpSets family, String label, String list) {
  /** Five bits each: enough to rule out collisions. */
  private static final int KEY_LETTERS = 15;

  /** In place of a list that is longer than a comment may be. */
  private static final String TOO_MANY = "*";

  private static final int LONGEST_COMMENT = 128;

  static Optional<OwnerEntry> read(NetlinkSocket netfilter, IpSets family, String label) {
    return netfilter
        .find(Elements.get(family.owners, key(label)))
        .map(element -> new OwnerEntry(family, label, element.comment()));
  }

  static NetlinkRequest create(IpSets family, String label, List<IpPrefix> addresses) {
    String list = addresses.stream().map(IpPrefix::toString).collect(Collectors.joining(" "));
    String comment = list.length() <= LONGEST_COMMENT ? list : TOO_MANY;
    return Elements.create(family.owners, key(label).withComment(comment));
  }

  static NetlinkRequest delete(IpSets family, String label) {
    return Elements.delete(family.owners, key(label));
  }

  /** Empty when there were too many to list: then they are found by their own comments. */
  Optional<List<IpPrefix>> addresses() {
    List<IpPrefix> addresses = new ArrayList<>();
    for (String text : list.split(" ", -1)) {
      Optional<IpPrefix> address = IpPrefix.tryParse(text);
      if (address.isEmpty() || IpSets.of(address.get().address()) != family) {
        return Optional.empty();
      }
      addresses.add(address.get());
    }
    return Optional.of(addresses);
  }

  private static Element key(String label) {
    return Element.of(Value.interfaceName(NamingHash.word(label, KEY_LETTERS)));
  }
}
