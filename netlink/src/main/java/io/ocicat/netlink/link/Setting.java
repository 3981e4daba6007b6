package io.ocicat.netlink.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.ns.NetNs;

/** One setting of a link, printed in the syntax of {@code ip link set}. */
sealed interface Setting {
  /** The attribute that carries it; 0 when none does. */
  int attribute();

  void write(MessageWriter out);

  record Value(int attribute, String word, int value) implements Setting {
    @Override
    public void write(MessageWriter out) {
      out.u32(attribute, value);
    }

    @Override
    public String toString() {
      return word + " " + Integer.toUnsignedString(value);
    }
  }

  record Name(String name) implements Setting {
    @Override
    public int attribute() {
      return Rtnl.IFNAME;
    }

    @Override
    public void write(MessageWriter out) {
      out.text(Rtnl.IFNAME, name);
    }

    @Override
    public String toString() {
      return "name \"" + name + "\"";
    }
  }

  record Alias(String alias) implements Setting {
    @Override
    public int attribute() {
      return Rtnl.IFALIAS;
    }

    @Override
    public void write(MessageWriter out) {
      // The kernel would consider a terminating zero a part of it.
      out.bytes(Rtnl.IFALIAS, alias.getBytes(UTF_8));
    }

    @Override
    public String toString() {
      return "alias \"" + alias + "\"";
    }
  }

  record Mac(MacAddress mac) implements Setting {
    @Override
    public int attribute() {
      return Rtnl.ADDRESS;
    }

    @Override
    public void write(MessageWriter out) {
      out.bytes(Rtnl.ADDRESS, mac.toByteArray());
    }

    @Override
    public String toString() {
      return "address " + mac;
    }
  }

  /**
   * The namespace to be in.
   *
   * @param descriptor its number, still printable after the namespace is closed
   */
  record Namespace(NetNs namespace, int descriptor) implements Setting {
    @Override
    public int attribute() {
      return Rtnl.NET_NS_FD;
    }

    @Override
    public void write(MessageWriter out) {
      out.u32(Rtnl.NET_NS_FD, namespace.descriptor());
    }

    @Override
    public String toString() {
      return "netns fd " + descriptor;
    }
  }

  /** Up, down and so on, which are in the header. */
  record Flag(String words) implements Setting {
    @Override
    public int attribute() {
      return 0;
    }

    @Override
    public void write(MessageWriter out) {}

    @Override
    public String toString() {
      return words;
    }
  }
}
