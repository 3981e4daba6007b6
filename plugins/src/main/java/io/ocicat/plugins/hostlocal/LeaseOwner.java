package io.ocicat.plugins.hostlocal;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.plugin.AttachmentCall;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a lease, as stored in its file.
 *
 * @param ifName null in the files of old versions, which belong to all interfaces of a container
 */
record LeaseOwner(String id, @Nullable String ifName) {
  private static final String BREAK = "\r\n";

  /** With this and the longest interface name, a lease does not exceed what is read. */
  private static final int MAX_ID = LeaseFile.MAX_BYTES - 64;

  /**
   * A container id and perhaps an interface name: all that {@link ContainerId} and {@link
   * InterfaceName} allow.
   */
  private static final Pattern CONTENT =
      Pattern.compile("([a-zA-Z0-9][a-zA-Z0-9_.-]*)(?:\r\n([^\\s/:]+))?");

  /**
   * The owner that a call is about.
   *
   * @throws CniException with code 4 when the id is longer than what is read of a file
   */
  static LeaseOwner of(AttachmentCall call) {
    String id = call.containerId().value();
    if (id.length() > MAX_ID) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "containerID has %d characters, at most %d are possible".formatted(id.length(), MAX_ID));
    }
    return new LeaseOwner(id, call.ifName().value());
  }

  /** Parses a file's content; empty when that is not an owner. */
  static Optional<LeaseOwner> parse(String content) {
    return Optional.of(CONTENT.matcher(content))
        .filter(Matcher::matches)
        .map(match -> new LeaseOwner(match.group(1), match.group(2)));
  }

  /** In the format of old versions. */
  LeaseOwner legacy() {
    return new LeaseOwner(id, null);
  }

  /** Empty when the lease belongs to all interfaces of its container. */
  Optional<Attachment> attachment() {
    return ifName == null ? Optional.empty() : Optional.of(new Attachment(id, ifName));
  }

  boolean isOneOf(Set<Attachment> attachments) {
    return attachment()
        .map(attachments::contains)
        .orElseGet(() -> attachments.stream().anyMatch(valid -> valid.containerId().equals(id)));
  }

  /** The exact content of its files: no line break at the end. */
  String content() {
    return ifName == null ? id : id + BREAK + ifName;
  }

  @Override
  public String toString() {
    return ifName == null ? id : id + " (" + ifName + ")";
  }
}
