package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The action mirred: redirects or mirrors packets to another link of the namespace.
 *
 * @param link index of the other link; 0 when the kernel reports one that is gone
 */
public record Mirred(Mode mode, int link) implements Action {
  static final String KIND = "mirred";
  private static final int PARMS = 2;
  // struct tc_mirred: index, capabilities, verdict, two counters, direction, link.
  private static final int MODE = 20;
  private static final int LINK = 24;
  private static final int SIZE = 28;

  private static final int PIPE = 3;
  private static final int STOLEN = 4;

  /** What happens to the packet: the numbers of linux/tc_act/tc_mirred.h. */
  public enum Mode {
    /** The packet leaves through the other link instead. */
    EGRESS_REDIRECT(1, STOLEN),
    /** A copy leaves through the other link. */
    EGRESS_MIRROR(2, PIPE),
    /** The packet arrives at the other link instead. */
    INGRESS_REDIRECT(3, STOLEN),
    /** A copy arrives at the other link. */
    INGRESS_MIRROR(4, PIPE);

    private final int number;
    private final int verdict;

    Mode(int number, int verdict) {
      this.number = number;
      this.verdict = verdict;
    }
  }

  /** Packets leave through {@code link} instead: how traffic is redirected to an ifb. */
  public static Mirred redirectTo(int link) {
    return new Mirred(Mode.EGRESS_REDIRECT, link);
  }

  /** Copies of packets leave through {@code link}. */
  public static Mirred mirrorTo(int link) {
    return new Mirred(Mode.EGRESS_MIRROR, link);
  }

  @Override
  public String kind() {
    return KIND;
  }

  static Optional<Mirred> read(Attributes options) {
    return options.structure(PARMS, SIZE).flatMap(Mirred::read);
  }

  private static Optional<Mirred> read(ByteBuffer in) {
    for (Mode mode : Mode.values()) {
      if (mode.number == in.getInt(MODE)) {
        return Optional.of(new Mirred(mode, in.getInt(LINK)));
      }
    }
    return Optional.empty();
  }

  void write(MessageWriter out) {
    out.structure(
        PARMS,
        () -> out.zeros(8).field32(mode.verdict).zeros(8).field32(mode.number).field32(link));
  }
}
