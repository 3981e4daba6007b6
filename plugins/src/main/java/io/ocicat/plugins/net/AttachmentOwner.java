package io.ocicat.plugins.net;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.plugin.AttachmentCall;
import java.util.Optional;

/**
 * The owner of something on the host: one interface of one container on one network. Objects that a
 * plugin creates in nf_tables carry its {@link #label} as comment, and are found again by it.
 */
public record AttachmentOwner(NetworkName network, ContainerId container, InterfaceName ifName) {
  /** Together with two slashes they fill the 128 bytes of a comment that nft reads back. */
  private static final int NETWORK_CHARACTERS = 47;

  private static final int CONTAINER_CHARACTERS = 64;
  private static final int INTERFACE_CHARACTERS = 15;

  private static final int HASH_DIGITS = 32;

  /** Not a valid character in names of networks and containers. */
  private static final char CUT = '~';

  public static AttachmentOwner of(AttachmentCall call) {
    return new AttachmentOwner(call.network(), call.containerId(), call.ifName());
  }

  /**
   * An attachment that GC names; empty when no plugin can ever have been called with such names.
   */
  public static Optional<AttachmentOwner> of(NetworkName network, Attachment attachment) {
    try {
      return Optional.of(
          new AttachmentOwner(
              network,
              new ContainerId(attachment.containerId()),
              new InterfaceName(attachment.ifName())));
    } catch (CniException e) {
      return Optional.empty();
    }
  }

  /**
   * {@code network/container/interface}, for a comment: at most 128 bytes, and unique to the owner.
   * Names that are too long are truncated, with a hash of the whole name appended.
   */
  public String label() {
    return labelPrefix(network)
        + brief(container.value(), CONTAINER_CHARACTERS)
        + "/"
        + interfaceLabel(ifName.value());
  }

  /** The prefix that the labels of a network's owners have, and no others. */
  public static String labelPrefix(NetworkName network) {
    return brief(network.value(), NETWORK_CHARACTERS) + "/";
  }

  /** Whether two labels belong to one container, on whatever interfaces and networks. */
  public static boolean isOneContainer(String label, String other) {
    return container(label).equals(container(other));
  }

  /** Whether two labels belong to one interface of one container, on whatever networks. */
  public static boolean isOneInterface(String label, String other) {
    return label.substring(label.indexOf('/') + 1).equals(other.substring(other.indexOf('/') + 1));
  }

  /** None of the names contains a slash, also after truncation. */
  private static String container(String label) {
    return label.substring(label.indexOf('/') + 1, label.lastIndexOf('/') + 1);
  }

  private static String brief(String name, int most) {
    return name.length() <= most
        ? name
        : name.substring(0, most - HASH_DIGITS - 1) + CUT + NamingHash.of(name, HASH_DIGITS);
  }

  /** Linux allows nearly every character in an interface name; a comment does not. */
  private static String interfaceLabel(String name) {
    return isPlain(name) ? name : CUT + NamingHash.of(name, INTERFACE_CHARACTERS - 1);
  }

  private static boolean isPlain(String name) {
    for (int at = 0; at < name.length(); at++) {
      char c = name.charAt(at);
      if (c <= ' ' || c >= 0x7f || c == '"' || c == CUT) {
        return false;
      }
    }
    return true;
  }
}
