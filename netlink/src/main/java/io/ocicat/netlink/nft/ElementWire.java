package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The wire format of set elements. Most sets have one for each {@link Element}. Sets with intervals
 * but without concatenated keys mark the points where ranges start and, one past their last key,
 * end: there a range is two of these, except one that reaches the very last key.
 *
 * @param key empty for the catch-all element
 * @param keyEnd the last key of the range where the set stores both ends in one element, else empty
 * @param endsRange whether the key is the first one after a range
 * @param open whether no end follows; nft stores that in its user data
 */
record ElementWire(
    Bytes key,
    Bytes keyEnd,
    boolean endsRange,
    boolean open,
    ElementData data,
    Bytes dataBytes,
    Duration timeout,
    String comment) {

  private static final int KEY = 1;
  private static final int DATA = 2;
  private static final int FLAGS = 3;
  private static final int TIMEOUT = 4;
  private static final int USERDATA = 6;
  private static final int KEY_END = 10;

  private static final int ENDS_RANGE = 0x1;
  private static final int CATCH_ALL = 0x2;

  /** SET_ELEM_F_INTERVAL_OPEN of nft's user data. */
  private static final int NOTE_OPEN = 1;

  private static final Bytes NO_BYTES = Bytes.of();
  private static final ElementData NO_DATA = new ElementData.None();

  /** Points in order; where one range ends and the next starts, the end comes first. */
  private static final Comparator<ElementWire> BY_KEY =
      Comparator.comparing(ElementWire::key)
          .thenComparing(Comparator.comparing(ElementWire::endsRange).reversed());

  /**
   * The elements to send.
   *
   * @param whole with all that belongs to it, not only the key it is found by
   */
  static List<ElementWire> of(NamedSet set, Element element, boolean whole) {
    ElementData data = whole ? element.data() : NO_DATA;
    Bytes dataBytes = whole ? dataBytes(set, element) : NO_BYTES;
    Duration timeout = whole ? checkedTimeout(set, element) : Duration.ZERO;
    String comment = whole ? NameRules.comment(element.comment()) : "";
    if (element.isCatchAll()) {
      return List.of(
          new ElementWire(NO_BYTES, NO_BYTES, false, false, data, dataBytes, timeout, comment));
    }
    Bytes first = set.key().join(element.first());
    Bytes last = set.key().join(element.last());
    checkRange(set, element);
    if (set.holdsRangesWhole() || !set.isInterval()) {
      Bytes end = set.isInterval() ? last : NO_BYTES;
      return List.of(new ElementWire(first, end, false, false, data, dataBytes, timeout, comment));
    }
    boolean open = last.isAllOnes();
    ElementWire start =
        new ElementWire(first, NO_BYTES, false, open, data, dataBytes, timeout, comment);
    return open ? List.of(start) : List.of(start, end(last.next()));
  }

  /**
   * The query for an element. Where a range is two points, its end is the first one after the key:
   * a query for the point itself returns another range's end when one starts there.
   */
  static List<ElementWire> question(NamedSet set, Element element) {
    List<ElementWire> key = of(set, element, false);
    if (element.isCatchAll() || !set.isInterval() || set.holdsRangesWhole()) {
      return key;
    }
    return List.of(key.getFirst(), end(set.key().join(element.last())));
  }

  private static ElementWire end(Bytes key) {
    return new ElementWire(key, NO_BYTES, true, false, NO_DATA, NO_BYTES, Duration.ZERO, "");
  }

  private static Bytes dataBytes(NamedSet set, Element element) {
    return switch (element.data()) {
      case ElementData.Values values
          when set.target() instanceof NamedSet.Target.Values(KeyLayout layout) ->
          layout.join(values.values());
      case Verdict _ when set.target() instanceof NamedSet.Target.Verdicts -> NO_BYTES;
      case ElementData.None _ when set.target() instanceof NamedSet.Target.Nothing -> NO_BYTES;
      case ElementData.Values _, Verdict _, ElementData.None _ ->
          throw new IllegalArgumentException("{ %s } does not fit %s".formatted(element, set));
    };
  }

  private static Duration checkedTimeout(NamedSet set, Element element) {
    Duration timeout = element.timeout();
    if (timeout.isNegative() || (timeout.isPositive() && timeout.toMillis() == 0)) {
      throw new IllegalArgumentException(
          "{ %s } of %s cannot live for %s".formatted(element, set.id(), timeout));
    }
    return timeout;
  }

  private static void checkRange(NamedSet set, Element element) {
    if (element.isRange() && !set.isInterval()) {
      throw new IllegalArgumentException(
          "{ %s } is a range, but %s has no flag interval".formatted(element, set));
    }
    for (int i = 0; i < element.first().size(); i++) {
      Bytes first = element.first().get(i).bigEndianBytes();
      if (first.compareTo(element.last().get(i).bigEndianBytes()) > 0) {
        throw new IllegalArgumentException("{ %s } ends before it starts".formatted(element));
      }
    }
  }

  void write(MessageWriter out) {
    out.nest(
        Nft.LIST_ELEMENT,
        () -> {
          int flags = (endsRange ? ENDS_RANGE : 0) | (key.length() == 0 ? CATCH_ALL : 0);
          if (flags != 0) {
            out.be32(FLAGS, flags);
          }
          if (!timeout.isZero()) {
            out.be64(TIMEOUT, timeout.toMillis());
          }
          if (key.length() > 0) {
            RegisterData.write(out, KEY, key);
          }
          if (keyEnd.length() > 0) {
            RegisterData.write(out, KEY_END, keyEnd);
          }
          switch (data) {
            case Verdict verdict -> RegisterData.write(out, DATA, verdict);
            case ElementData.Values _ -> RegisterData.write(out, DATA, dataBytes);
            case ElementData.None _ -> {}
          }
          UserData notes = new UserData().text(UserData.COMMENT, comment);
          (open ? notes.u32(UserData.ELEMENT_FLAGS, NOTE_OPEN) : notes).write(out, USERDATA);
        });
  }

  /** The elements in these messages, with the two points of a range joined. */
  static List<Element> read(NamedSet set, List<NetlinkMessage> messages) {
    List<ElementWire> all = new ArrayList<>();
    for (NetlinkMessage message : messages) {
      Nft.attributes(message).elements(Elements.ELEMENTS).forEach(one -> all.add(read(set, one)));
    }
    if (set.isInterval() && !set.holdsRangesWhole()) {
      return ranges(set, all);
    }
    return all.stream()
        .map(one -> one.element(set, one.keyEnd.length() > 0 ? one.keyEnd : one.key))
        .toList();
  }

  private static ElementWire read(NamedSet set, Attributes attributes) {
    int flags = attributes.be32(FLAGS, 0);
    return new ElementWire(
        RegisterData.readBytes(attributes, KEY),
        RegisterData.readBytes(attributes, KEY_END),
        (flags & ENDS_RANGE) != 0,
        false,
        readData(set, attributes),
        NO_BYTES,
        Duration.ofMillis(attributes.be64(TIMEOUT, 0)),
        UserData.readText(attributes, USERDATA, UserData.COMMENT));
  }

  private static ElementData readData(NamedSet set, Attributes attributes) {
    return switch (set.target()) {
      case NamedSet.Target.Values(KeyLayout layout) when attributes.has(DATA) ->
          new ElementData.Values(layout.split(RegisterData.readBytes(attributes, DATA)));
      case NamedSet.Target.Verdicts _ when attributes.has(DATA) ->
          RegisterData.readVerdict(attributes, DATA)
              .orElseThrow(() -> NetlinkException.malformed("an element's verdict is unknown"));
      case NamedSet.Target.Values _,
          NamedSet.Target.Verdicts _,
          NamedSet.Target.Nothing _,
          NamedSet.Target.Objects _ ->
          NO_DATA;
    };
  }

  /** A start without an end extends to the next start or the last possible key. */
  private static List<Element> ranges(NamedSet set, List<ElementWire> points) {
    List<ElementWire> ordered = points.stream().sorted(BY_KEY).toList();
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < ordered.size(); i++) {
      ElementWire start = ordered.get(i);
      if (start.endsRange) {
        continue;
      }
      boolean bounded = i + 1 < ordered.size() && start.key.length() > 0;
      Bytes after = bounded ? ordered.get(i + 1).key : Bytes.zeros(set.key().length());
      elements.add(start.element(set, after.previous()));
    }
    return elements;
  }

  private Element element(NamedSet set, Bytes last) {
    boolean catchAll = key.length() == 0;
    return new Element(
        catchAll ? List.of() : set.key().split(key),
        catchAll ? List.of() : set.key().split(last),
        data,
        timeout,
        comment);
  }
}
