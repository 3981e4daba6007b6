package io.ocicat.netlink.tc;

/** How a qdisc treats packets: its kind, and the settings of that kind. */
public sealed interface Discipline permits Tbf, Htb, Discipline.Plain {
  /** For filters on arriving packets; queues nothing. Goes to {@link Handle#INGRESS}. */
  Discipline INGRESS = new Plain("ingress");

  /** For filters on arriving and on leaving packets. Goes to {@link Handle#INGRESS} too. */
  Discipline CLSACT = new Plain("clsact");

  /** The kernel's name, for instance {@code tbf}. */
  String kind();

  /** A kind that has no settings, or whose settings stay as the kernel makes them. */
  record Plain(String kind) implements Discipline {
    @Override
    public String toString() {
      return kind;
    }
  }
}
