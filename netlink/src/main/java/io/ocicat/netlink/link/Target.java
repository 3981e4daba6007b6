package io.ocicat.netlink.link;

import io.ocicat.netlink.MessageWriter;
import org.jspecify.annotations.Nullable;

/**
 * The link a message is about: by index, or by name where the same send creates it and its index is
 * not known yet.
 */
record Target(int index, @Nullable String name) {
  static Target of(int index) {
    return new Target(Rtnl.positive(index), null);
  }

  static Target of(String name) {
    return new Target(0, LinkName.check(name));
  }

  MessageWriter write(MessageWriter out, int flags, int change) {
    Rtnl.header(out, Rtnl.AF_UNSPEC, index, flags, change);
    return name == null ? out : out.text(Rtnl.IFNAME, name);
  }

  @Override
  public String toString() {
    return name == null ? Integer.toString(index) : "\"" + name + "\"";
  }
}
