package io.ocicat.netlink.nft;

/** The standard priorities of base chains, by nft's names; any number is a priority. */
public final class ChainPriority {
  public static final int RAW = -300;
  public static final int MANGLE = -150;
  public static final int DSTNAT = -100;
  public static final int FILTER = 0;
  public static final int SECURITY = 50;
  public static final int SRCNAT = 100;

  /** Bridges have different numbers. */
  public static final int BRIDGE_DSTNAT = -300;

  public static final int BRIDGE_FILTER = -200;
  public static final int BRIDGE_OUT = 100;
  public static final int BRIDGE_SRCNAT = 300;

  private ChainPriority() {}
}
