package io.ocicat.netlink.link;

import static io.ocicat.netlink.link.Rtnl.GROUP;
import static io.ocicat.netlink.link.Rtnl.MASTER;
import static io.ocicat.netlink.link.Rtnl.MTU;
import static io.ocicat.netlink.link.Rtnl.NUM_RX_QUEUES;
import static io.ocicat.netlink.link.Rtnl.NUM_TX_QUEUES;
import static io.ocicat.netlink.link.Rtnl.TXQLEN;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.ns.NetNs;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings common to all kinds of links, for a new or an existing link; unset ones are left to
 * the kernel, or unchanged. All of them are sent in one message.
 *
 * <pre>{@code
 * LinkSettings.named("vethab12").mtu(1450).group(7).master(bridge).up()
 * }</pre>
 *
 * <p>Immutable: every method returns another object.
 */
public final class LinkSettings {
  private static final LinkSettings NONE = new LinkSettings(0, null, 0, 0);
  private static final int LONGEST_ALIAS = 255;

  private final int index;
  private final @Nullable String name;
  private final int flags;
  private final int change;
  private final Setting[] settings;

  private LinkSettings(
      int index, @Nullable String name, int flags, int change, Setting... settings) {
    this.index = index;
    this.name = name;
    this.flags = flags;
    this.change = change;
    this.settings = settings;
  }

  /** No settings. The kernel names a link created without a name: veth0, veth1, … */
  public static LinkSettings none() {
    return NONE;
  }

  /**
   * The name; for an existing link, a new one. Before Linux 6.2 a link must be down to be renamed,
   * by a message before this one.
   */
  public static LinkSettings named(String name) {
    return NONE.name(name);
  }

  public LinkSettings name(String name) {
    LinkName.check(name);
    return new LinkSettings(index, name, flags, change, with(new Setting.Name(name)));
  }

  /**
   * The index of a new link, so that later messages of the same send can refer to it. Fails with
   * EEXIST when taken: only for namespaces whose links are all known.
   */
  public LinkSettings index(int index) {
    return new LinkSettings(Rtnl.positive(index), name, flags, change, settings);
  }

  /**
   * The namespace to be created in. An existing link is moved, which is slow, blocks all other
   * network configuration meanwhile, and removes its addresses and routes.
   */
  public LinkSettings in(NetNs namespace) {
    return and(new Setting.Namespace(namespace, namespace.descriptor()));
  }

  public LinkSettings mac(MacAddress mac) {
    return and(new Setting.Mac(mac));
  }

  public LinkSettings mtu(int mtu) {
    if (mtu <= 0) {
      throw new IllegalArgumentException("an MTU is positive, not " + mtu);
    }
    return and(MTU, "mtu", mtu);
  }

  /** The bridge (or other master) to be a port of. */
  public LinkSettings master(int bridge) {
    return and(MASTER, "master", Rtnl.positive(bridge));
  }

  public LinkSettings noMaster() {
    return and(MASTER, "master", 0);
  }

  /** A number by which links can be listed and deleted together; 0 is the default group. */
  public LinkSettings group(int group) {
    return and(GROUP, "group", group);
  }

  /**
   * A text for people and for finding one's own links again; empty removes it. Not for a new link:
   * the kernel would silently ignore it, so it needs a message after the creation.
   */
  public LinkSettings alias(String alias) {
    int length = alias.getBytes(UTF_8).length;
    if (length > LONGEST_ALIAS) {
      throw new IllegalArgumentException(
          "alias \"%s\" has %d bytes, Linux allows %d".formatted(alias, length, LONGEST_ALIAS));
    }
    return and(new Setting.Alias(alias));
  }

  public LinkSettings txQueueLength(int packets) {
    return and(TXQLEN, "txqueuelen", packets);
  }

  /** The number of queues of a new link; cannot be changed later. */
  public LinkSettings queues(int transmit, int receive) {
    return and(NUM_TX_QUEUES, "numtxqueues", transmit).and(NUM_RX_QUEUES, "numrxqueues", receive);
  }

  /** Not for the peer of a new veth: see {@link LinkKind.Veth}. */
  public LinkSettings up() {
    return flag(Rtnl.IFF_UP, true, "up");
  }

  public LinkSettings down() {
    return flag(Rtnl.IFF_UP, false, "down");
  }

  public LinkSettings promiscuous(boolean on) {
    return flag(Rtnl.IFF_PROMISC, on, on ? "promisc on" : "promisc off");
  }

  public LinkSettings allMulticast(boolean on) {
    return flag(Rtnl.IFF_ALLMULTI, on, on ? "allmulticast on" : "allmulticast off");
  }

  int index() {
    return index;
  }

  @Nullable String name() {
    return name;
  }

  boolean isUp() {
    return (flags & Rtnl.IFF_UP) != 0;
  }

  /** Whether an attribute is among them. */
  boolean mention(int attribute) {
    for (Setting setting : settings) {
      if (setting.attribute() == attribute) {
        return true;
      }
    }
    return false;
  }

  /** As the change of a link. */
  void write(MessageWriter out, Target target) {
    target.write(out, flags, change);
    writeAttributes(out);
  }

  /** As a new link. */
  void write(MessageWriter out) {
    Rtnl.header(out, Rtnl.AF_UNSPEC, index, flags, change);
    writeAttributes(out);
  }

  /** In the syntax of {@code ip link set}. */
  @Override
  public String toString() {
    return Arrays.stream(settings).map(Setting::toString).collect(Collectors.joining(" "));
  }

  private void writeAttributes(MessageWriter out) {
    for (Setting setting : settings) {
      setting.write(out);
    }
  }

  private LinkSettings flag(int flag, boolean on, String words) {
    int wanted = on ? flags | flag : flags & ~flag;
    return new LinkSettings(index, name, wanted, change | flag, with(new Setting.Flag(words)));
  }

  private LinkSettings and(int attribute, String word, int value) {
    return and(new Setting.Value(attribute, word, value));
  }

  private LinkSettings and(Setting setting) {
    return new LinkSettings(index, name, flags, change, with(setting));
  }

  private Setting[] with(Setting setting) {
    Setting[] more = Arrays.copyOf(settings, settings.length + 1);
    more[settings.length] = setting;
    return more;
  }
}
