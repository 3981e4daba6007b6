package io.ocicat.agent.nft;

import io.ocicat.agent.filter.PortRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Ranges of ports that do not overlap, as a set with intervals needs them. */
final class PortRanges {
  private PortRanges() {}

  static List<PortRange> merge(List<PortRange> ranges) {
    List<PortRange> merged = new ArrayList<>();
    List<PortRange> sorted =
        ranges.stream().sorted(Comparator.comparingInt(PortRange::first)).toList();
    for (PortRange range : sorted) {
      if (!merged.isEmpty() && range.first() <= merged.getLast().last() + 1) {
        PortRange before = merged.removeLast();
        merged.add(new PortRange(before.first(), Math.max(before.last(), range.last())));
      } else {
        merged.add(range);
      }
    }
    return merged;
  }
}
