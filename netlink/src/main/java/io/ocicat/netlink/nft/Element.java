package io.ocicat.netlink.nft;

import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An element of a set or map.
 *
 * @param first the key, or the first key of a range; empty for the catch-all element (nft's {@code
 *     *})
 * @param last the last key of the range, or the key again
 * @param timeout its lifetime; zero for the set's default
 * @param comment empty for none
 */
public record Element(
    List<Value> first, List<Value> last, ElementData data, Duration timeout, String comment) {

  private static final ElementData NOTHING = new ElementData.None();

  public Element {
    first = List.copyOf(first);
    last = List.copyOf(last);
    if (first.size() != last.size()) {
      throw new IllegalArgumentException(
          "no range leads from %s to %s"
              .formatted(KeyLayout.valueText(first), KeyLayout.valueText(last)));
    }
  }

  public static Element of(Value... key) {
    return new Element(List.of(key), List.of(key), NOTHING, Duration.ZERO, "");
  }

  /** All addresses of the prefix, for a set with intervals. */
  public static Element of(IpPrefix prefix) {
    return range(List.of(Value.address(prefix.first())), List.of(Value.address(prefix.last())));
  }

  /** A range including both ends. In concatenated keys each value has a range of its own. */
  public static Element range(List<Value> first, List<Value> last) {
    return new Element(first, last, NOTHING, Duration.ZERO, "");
  }

  /** The catch-all element, for every key without an element (Linux 5.13). */
  public static Element catchAll() {
    return new Element(List.of(), List.of(), NOTHING, Duration.ZERO, "");
  }

  /** The element of a map with these values as data. */
  public Element to(Value... values) {
    return new Element(first, last, new ElementData.Values(List.of(values)), timeout, comment);
  }

  public Element to(Verdict verdict) {
    return new Element(first, last, verdict, timeout, comment);
  }

  public Element withTimeout(Duration lifeTime) {
    return new Element(first, last, data, lifeTime, comment);
  }

  public Element withComment(String text) {
    return new Element(first, last, data, timeout, text);
  }

  boolean isCatchAll() {
    return first.isEmpty();
  }

  boolean isRange() {
    return !first.equals(last);
  }

  /** In nft's syntax. */
  @Override
  public String toString() {
    String target = data.toString();
    return keyText() + (target.isEmpty() ? "" : " : " + target);
  }

  private String keyText() {
    if (isCatchAll()) {
      return "*";
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < first.size(); i++) {
      Value from = first.get(i);
      Value to = last.get(i);
      parts.add(from.equals(to) ? from.toString() : from + "-" + to);
    }
    return String.join(" . ", parts);
  }
}
