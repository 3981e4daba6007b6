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
 * Whom a lease belongs to, as the content of its file says.
 *
 * @param ifName null in the files of old versions, which belong to all interfaces of a container
 */
record LeaseOwner(String id, @Nullable String ifName) {
  private static final String BREAK = "\r\n";

  /** With it and the longest name of an interface, a lease is not longer than what is read. */
  private static final int MAX_ID = LeaseFile.MAX_BYTES - 64;

  /**
   * An id and perhaps an interface: all that {@link ContainerId} and {@link InterfaceName} allow.
   */
  private static final Pattern CONTENT =
      Pattern.compile("([a-zA-Z0-9][a-zA-Z0-9_.-]*)(?:\r\n([^\\s/:]+))?");

  /**
   * Whom a call is about.
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

  /** Of a file's content; nothing when that is no owner. */
  static Optional<LeaseOwner> parse(String content) {
    return Optional.of(CONTENT.matcher(content))
        .filter(Matcher::matches)
        .map(match -> new LeaseOwner(match.group(1), match.group(2)));
  }

  /** As old versions wrote it. */
  LeaseOwner legacy() {
    return new LeaseOwner(id, null);
  }

  /** Nothing when it belongs to all interfaces of its container. */
  Optional<Attachment> attachment() {
    return ifName == null ? Optional.empty() : Optional.of(new Attachment(id, ifName));
  }

  boolean isOneOf(Set<Attachment> attachments) {
    return attachment()
        .map(attachments::contains)
        .orElseGet(() -> attachments.stream().anyMatch(valid -> valid.containerId().equals(id)));
  }

  /** What its files hold, to the byte: no line break at the end. */
  String content() {
    return ifName == null ? id : id + BREAK + ifName;
  }

  @Override
  public String toString() {
    return ifName == null ? id : id + " (" + ifName + ")";
  }
}
