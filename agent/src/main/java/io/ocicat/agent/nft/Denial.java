package io.ocicat.agent.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Statement;
import java.util.List;

/** Rules that deny: they count, show the packet to whoever watches, and drop or reject it. */
final class Denial {
  private static final int LONGEST_PREFIX = 120;

  private Denial() {}

  /**
   * The statements of a rule that denies.
   *
   * @param reason completes the sentence <i>denied …</i>
   */
  static List<Clause> because(String reason, FilterHook hook, FilterSettings settings) {
    return List.of(
        Statement.counter(),
        Statement.logTo(PolicyTable.DENIED_GROUP, cut(reason)),
        hook.deny(settings));
  }

  /** What the kernel takes as a prefix. */
  static String cut(String text) {
    StringBuilder kept = new StringBuilder();
    int bytes = 0;
    for (int point : text.codePoints().toArray()) {
      String one = point == '"' || Character.isISOControl(point) ? "?" : Character.toString(point);
      bytes += one.getBytes(UTF_8).length;
      if (bytes > LONGEST_PREFIX) {
        break;
      }
      kept.append(one);
    }
    return kept.toString();
  }
}
