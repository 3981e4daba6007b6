package io.ocicat.netlink.nft;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Requests and queries about the elements of sets and maps; see {@link Tables} for what add, create
 * and so on mean. Each request carries one element, so that an error names it; thousands of
 * requests in one transaction are fine.
 */
public final class Elements {
  static final int TABLE = 1;
  static final int SET = 2;
  static final int ELEMENTS = 3;

  /** An attribute holds 64 KiB; comments and data are not counted here. */
  private static final int MAX_ELEMENTS_BYTES = 32 * 1024;

  /** Of the two points of a range: headers, flags and nft's notes. */
  private static final int ELEMENT_OVERHEAD = 64;

  private Elements() {}

  /** Adds an element; EEXIST when its key exists with other data, or a range overlaps it. */
  public static NetlinkRequest add(NamedSet set, Element element) {
    return change(Nft.NEW_ELEMENT, NetlinkRequest.CREATE, set, element, "add", true);
  }

  public static NetlinkRequest create(NamedSet set, Element element) {
    int flags = NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE;
    return change(Nft.NEW_ELEMENT, flags, set, element, "create", true);
  }

  /**
   * Adds many elements in few requests: less to send than one request each, but an error only names
   * the first element of its request.
   */
  public static List<NetlinkRequest> addAll(NamedSet set, Collection<Element> elements) {
    return inFew(
        set,
        elements,
        some -> changeAll(Nft.NEW_ELEMENT, NetlinkRequest.CREATE, set, some, "add", true));
  }

  /** Removes many elements in few requests. */
  public static List<NetlinkRequest> deleteAll(NamedSet set, Collection<Element> elements) {
    return inFew(
        set, elements, some -> changeAll(Nft.DELETE_ELEMENT, 0, set, some, "delete", false));
  }

  private static List<NetlinkRequest> inFew(
      NamedSet set, Collection<Element> elements, Function<List<Element>, NetlinkRequest> request) {
    int each = ELEMENT_OVERHEAD + 2 * set.key().length();
    int most = Math.max(1, MAX_ELEMENTS_BYTES / each);
    List<Element> all = List.copyOf(elements);
    List<NetlinkRequest> requests = new ArrayList<>();
    for (int from = 0; from < all.size(); from += most) {
      requests.add(request.apply(all.subList(from, Math.min(all.size(), from + most))));
    }
    return requests;
  }

  private static NetlinkRequest changeAll(
      int type, int flags, NamedSet set, List<Element> elements, String verb, boolean whole) {
    SetId id = set.id();
    List<ElementWire> parts =
        elements.stream().flatMap(one -> ElementWire.of(set, one, whole).stream()).toList();
    return Nft.request(
        type,
        flags,
        id.table().family(),
        out -> write(out, id, parts),
        () ->
            "%s element %s { %s%s }"
                .formatted(
                    verb,
                    id,
                    elements.getFirst(),
                    elements.size() == 1 ? "" : " and %d more".formatted(elements.size() - 1)));
  }

  /** Removes the element of this key, whatever its data. */
  public static NetlinkRequest delete(NamedSet set, Element element) {
    return change(Nft.DELETE_ELEMENT, 0, set, element, "delete", false);
  }

  /** Removes the element of this key, if it exists. */
  public static NetlinkRequest destroy(NamedSet set, Element element) {
    return change(Nft.DESTROY_ELEMENT, 0, set, element, "destroy", false);
  }

  /** Removes all elements. */
  public static NetlinkRequest flush(SetId id) {
    return Nft.request(
        Nft.DELETE_ELEMENT, 0, id.table().family(), out -> name(out, id), () -> "flush set " + id);
  }

  /** Everything in the set; ENOENT when the set does not exist. Ranges are in order. */
  public static NetlinkQuery<Element> in(NamedSet set) {
    SetId id = set.id();
    return NetlinkQuery.allGathered(
            Nft.GET_ELEMENT,
            Nft.body(id.table().family().number(), out -> name(out, id)),
            messages -> ElementWire.read(set, messages),
            () -> "list elements of set " + id)
        .distinct();
  }

  /** The element that contains this key, or this whole range. */
  public static NetlinkQuery<Element> get(NamedSet set, Element element) {
    SetId id = set.id();
    List<ElementWire> parts = ElementWire.question(set, element);
    return NetlinkQuery.oneFromSeveral(
        Nft.GET_ELEMENT,
        Nft.body(id.table().family().number(), out -> write(out, id, parts)),
        messages -> ElementWire.read(set, messages),
        () -> "get element %s { %s }".formatted(id, element));
  }

  private static NetlinkRequest change(
      int type, int flags, NamedSet set, Element element, String verb, boolean whole) {
    SetId id = set.id();
    List<ElementWire> parts = ElementWire.of(set, element, whole);
    return Nft.request(
        type,
        flags,
        id.table().family(),
        out -> write(out, id, parts),
        () -> "%s element %s { %s }".formatted(verb, id, element));
  }

  private static void write(MessageWriter out, SetId id, List<ElementWire> parts) {
    name(out, id);
    out.nest(ELEMENTS, () -> parts.forEach(part -> part.write(out)));
  }

  private static void name(MessageWriter out, SetId id) {
    out.text(TABLE, id.table().name()).text(SET, id.name());
  }
}
