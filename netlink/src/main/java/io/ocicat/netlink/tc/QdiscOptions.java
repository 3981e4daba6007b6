package io.ocicat.netlink.tc;

/** The kind of a qdisc, and the settings of that kind. */
public sealed interface QdiscOptions permits Tbf, Htb, QdiscOptions.Plain {
  /** For filters on incoming packets; queues nothing. Its position is {@link Handle#INGRESS}. */
  QdiscOptions INGRESS = new Plain("ingress");

  /** For filters on incoming and outgoing packets. Its position is {@link Handle#INGRESS}, too. */
  QdiscOptions CLSACT = new Plain("clsact");

  /** The kernel's name, for instance {@code tbf}. */
  String kind();

  /** A kind without settings, or with the kernel's defaults. */
  record Plain(String kind) implements QdiscOptions {
    @Override
    public String toString() {
      return kind;
    }
  }
}
