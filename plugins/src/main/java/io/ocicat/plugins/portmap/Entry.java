package io.ocicat.plugins.portmap;

import io.ocicat.netlink.Request;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Value;
import java.util.List;

/** An element and the set it belongs into. */
record Entry(NamedSet set, Element element) {
  static Entry of(NamedSet set, Value... key) {
    return new Entry(set, Element.of(key));
  }

  Entry to(Value... values) {
    return new Entry(set, element.to(values));
  }

  Entry withComment(String comment) {
    return new Entry(set, element.withComment(comment));
  }

  /** Without what it leads to and its comment. */
  Entry key() {
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
  Request create() {
    return Elements.create(set, element);
  }

  Request delete() {
    return Elements.delete(set, element);
  }

  /**
   * The question whether there is none of this key: in and out within a transaction, else EEXIST.
   */
  List<Request> requireAbsent() {
    return List.of(create(), delete());
  }

  @Override
  public String toString() {
    return "element %s { %s }".formatted(set.id(), element);
  }
}
