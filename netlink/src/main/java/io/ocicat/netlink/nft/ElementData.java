package io.ocicat.netlink.nft;

import java.util.List;

/** The data of an element of a map: values or a verdict, or nothing in a set. */
public sealed interface ElementData permits ElementData.None, ElementData.Values, Verdict {
  /** Nothing: the element of a plain set. */
  record None() implements ElementData {
    @Override
    public String toString() {
      return "";
    }
  }

  /** A value, or several concatenated. */
  record Values(List<Value> values) implements ElementData {
    public Values {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return KeyLayout.valueText(values);
    }
  }
}
