package io.ocicat.plugins.portmap;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Value;
import java.util.List;

/** An element together with its set. */
record SetElement(NamedSet set, Element element) {
  static SetElement of(NamedSet set, Value... key) {
    return new SetElement(set, Element.of(key));
  }

  SetElement to(Value... values) {
    return new SetElement(set, element.to(values));
  }

  SetElement withComment(String comment) {
    return new SetElement(set, element.withComment(comment));
  }

  /** Only the key, without value and comment. */
  SetElement key() {
    return of(set, element.first().toArray(Value[]::new));
  }

  /**
   * Whether it only describes a container's address, so that it belongs to the holder of the
   * address.
   */
  boolean isAboutAddress() {
    return FamilySets.BOTH.stream()
        .anyMatch(
            family ->
                set.equals(family.hairpin)
                    || set.equals(family.link)
                    || set.equals(family.masqAll));
  }

  /** Fails with EEXIST when the key exists. */
  NetlinkRequest create() {
    return Elements.create(set, element);
  }

  NetlinkRequest delete() {
    return Elements.delete(set, element);
  }

  /** Tests that the key does not exist: added and deleted within a transaction, else EEXIST. */
  List<NetlinkRequest> requireAbsent() {
    return List.of(create(), delete());
  }

  @Override
  public String toString() {
    return "element %s { %s }".formatted(set.id(), element);
  }
}
