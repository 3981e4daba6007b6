package io.ocicat.netlink.tc;

/** How a qdisc treats packets: its kind, and the settings of that kind. */
public sealed interface QdiscOptions permits Tbf, Htb, QdiscOptions.Plain {
  /** For filters on arriving packets; queues nothing. Goes to {@link Handle#INGRESS}. */
  QdiscOptions INGRESS = new Plain("ingress");

  /** For filters on arriving and on leaving packets. Goes to {@link Handle#INGRESS} too. */
  QdiscOptions CLSACT = new Plain("clsact");

  /** The kernel's name, for instance {@code tbf}. */
  String kind();

  /** A kind that has no settings, or whose settings stay as the kernel makes them. */
  record Plain(String kind) implements QdiscOptions {
    @Override
    public String toString() {
      return kind;
    }
  }
}
