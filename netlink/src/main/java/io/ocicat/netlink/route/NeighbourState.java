package io.ocicat.netlink.route;

import io.ocicat.netlink.linux.NetlinkException;
import java.util.Locale;

/** The state of a neighbour entry (linux/neighbour.h, NUD_…). */
public enum NeighbourState {
  NONE(0x00),
  /** Requested, no answer yet. */
  INCOMPLETE(0x01),
  REACHABLE(0x02),
  /** Usable, to be confirmed on next use. */
  STALE(0x04),
  DELAY(0x08),
  PROBE(0x10),
  FAILED(0x20),
  /** On a link that resolves no addresses. */
  NOARP(0x40),
  PERMANENT(0x80);

  private final int bit;

  NeighbourState(int bit) {
    this.bit = bit;
  }

  static NeighbourState ofBit(int bit) {
    for (NeighbourState state : values()) {
      if (state.bit == bit) {
        return state;
      }
    }
    throw NetlinkException.malformed("0x" + Integer.toHexString(bit) + " is no neighbour's state");
  }

  int bit() {
    return bit;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
