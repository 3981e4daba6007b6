package io.ocicat.netlink.nft;

import java.util.List;

/** What an element of a set or map leads to. */
public sealed interface Data permits Data.None, Data.Values, Verdict {
  /** Nothing: the element of a plain set. */
  record None() implements Data {
    @Override
    public String toString() {
      return "";
    }
  }

  /** A value, or several joined. */
  record Values(List<Value> values) implements Data {
    public Values {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return Layout.valueText(values);
    }
  }
}
