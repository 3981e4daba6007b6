package io.ocicat.plugins.portmap;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Value;
import java.util.List;

/** An element and the set it belongs into. */
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

  /** Without what it leads to and its comment. */
  SetElement key() {
    return of(set, element.first().toArray(Value[]::new));
  }

  /** Whether it tells of a container's address only, so that whoever has the address has it. */
  boolean isAboutAddress() {
    return FamilySets.BOTH.stream()
        .anyMatch(
            family ->
                set.equals(family.hairpin)
                    || set.equals(family.link)
                    || set.equals(family.masqAll));
  }

  /** Fails with EEXIST when there is one of this key. */
  NetlinkRequest create() {
    return Elements.create(set, element);
  }

  NetlinkRequest delete() {
    return Elements.delete(set, element);
  }

  /**
   * The question whether there is none of this key: in and out within a transaction, else EEXIST.
   */
  List<NetlinkRequest> requireAbsent() {
    return List.of(create(), delete());
  }

  @Override
  public String toString() {
    return "element %s { %s }".formatted(set.id(), element);
  }
}
