package io.ocicat.plugins.bandwidth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.plugins.net.Net;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * The intermediate device of one attachment: what the container sends queues up there.
 *
 * <p>It is called as Go calls it, so that either plugin finds it. That name is the container's, not
 * the interface's: a second interface of a container in the same network gets a name of ours. Whose
 * a device is says its alias, which Go's have not.
 */
record Ifb(String network, Attachment attachment) {
  static final String NAME_PREFIX = "bwp";
  private static final String KIND = "ifb";
  private static final String TAG = "ocicat bandwidth ";
  private static final int LONGEST_NAME = 15;
  private static final int LONGEST_ALIAS = 255;
  private static final int HASH = 16;

  /** As Go calls it. */
  String name() {
    return named(network + attachment.containerId());
  }

  /** As we call it when that name is taken. No network or container id holds a colon. */
  String secondName() {
    return named(network + attachment.containerId() + ":" + attachment.ifName());
  }

  Set<String> names() {
    return Set.of(name(), secondName());
  }

  /** The alias. Hashes first, because ids may be longer than what fits; the rest is for people. */
  String tag() {
    String text =
        "%s net %s, if %s, id %s"
            .formatted(mark(), network, attachment.ifName(), attachment.containerId());
    byte[] bytes = text.getBytes(UTF_8);
    return bytes.length <= LONGEST_ALIAS ? text : new String(bytes, 0, LONGEST_ALIAS, UTF_8);
  }

  private String mark() {
    return networkMark(network)
        + hash(attachment.ifName() + ":" + attachment.containerId()).substring(0, HASH);
  }

  /** What the aliases of a network's devices begin with. */
  static String networkMark(String network) {
    return TAG + hash(network).substring(0, HASH) + "-";
  }

  static boolean isTagged(Link link) {
    return link.alias().startsWith(TAG);
  }

  /** Whether the alias of a device says that it is this attachment's. */
  boolean owns(Link link) {
    return link.alias().startsWith(mark());
  }

  /**
   * Makes it, up but without an alias: that needs a second message.
   *
   * @throws CniException when this very attachment has one
   */
  Link create(Net host, int mtu) {
    try {
      return create(host, name(), mtu);
    } catch (NetlinkException e) {
      if (!e.is(Errno.EEXIST)) {
        throw e;
      }
    }
    if (host.link(name()).filter(this::owns).isPresent()) {
      throw exists(name());
    }
    try {
      return create(host, secondName(), mtu);
    } catch (NetlinkException e) {
      throw e.is(Errno.EEXIST) ? exists(secondName()) : e;
    }
  }

  private static Link create(Net host, String name, int mtu) {
    // Without a queue of its own: what waits, waits in the token bucket.
    LinkSettings settings = LinkSettings.named(name).mtu(mtu).txQueueLength(0).up();
    return Links.create(host.route(), settings, new LinkKind.Ifb());
  }

  private CniException exists(String name) {
    return new CniException(
        ErrorCode.INTERNAL,
        "ifb \"%s\" of interface %s already exists".formatted(name, attachment.ifName()),
        "ADD ran before for this interface: run DEL first");
  }

  /**
   * This attachment's device, if it has one. One without an alias is Go's, and Go has but one per
   * container and network; it is this interface's unless that has a device under the second name.
   */
  Optional<Link> find(Net host) {
    Optional<Link> second = ifb(host, secondName());
    return second.isPresent()
        ? second
        : ifb(host, name()).filter(link -> owns(link) || !isTagged(link));
  }

  private static Optional<Link> ifb(Net host, String name) {
    return host.link(name).filter(link -> link.kind().equals(KIND));
  }

  private static String named(String text) {
    return (NAME_PREFIX + hash(text)).substring(0, LONGEST_NAME);
  }

  private static String hash(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-512").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-512", e);
    }
  }
}
