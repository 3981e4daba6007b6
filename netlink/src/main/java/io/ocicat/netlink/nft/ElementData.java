package io.ocicat.netlink.nft;

import java.util.List;

/** What an element of a set or map leads to. */
public sealed interface ElementData permits ElementData.None, ElementData.Values, Verdict {
  /** Nothing: the element of a plain set. */
  record None() implements ElementData {
    @Override
    public String toString() {
      return "";
    }
  }

  /** A value, or several joined. */
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
