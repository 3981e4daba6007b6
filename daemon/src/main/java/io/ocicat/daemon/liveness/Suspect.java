package io.ocicat.daemon.liveness;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.net.AttachmentOwner;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An attachment that is considered for undoing.
 *
 * @param name its record's
 * @param result what its ADD returned, if that is known
 * @param idleSinceNanos since 1970: nothing of it was written later
 */
public record Suspect(
    UndoReason reason,
    AttachmentKey key,
    String name,
    CallRecord record,
    Optional<Result> result,
    long idleSinceNanos) {

  /**
   * The attachment of a record.
   *
   * @param committed the attachment's own record, when {@code record} is of another call for it
   */
  public static Suspect of(
      UndoReason reason,
      AttachmentKey key,
      String name,
      CallRecord record,
      Optional<CallRecord> committed,
      long idleSinceNanos) {
    return new Suspect(
        reason,
        key,
        name,
        record,
        parse(record).or(() -> committed.flatMap(Suspect::parse)),
        idleSinceNanos);
  }

  private static Optional<Result> parse(CallRecord record) {
    if (record.result().length == 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(Result.parse(record.result(), SpecVersion.LATEST));
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  Set<IpAddress> addresses() {
    return result.stream()
        .flatMap(it -> it.ips().stream())
        .map(IpConfig::address)
        .map(prefix -> prefix.address())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Of the interface in the container. */
  Optional<MacAddress> mac() {
    return result.stream()
        .flatMap(it -> it.interfaces().stream())
        .filter(link -> !link.isOnHost() && link.name().equals(key.ifName()))
        .findFirst()
        .flatMap(Interface::macAddress);
  }

  /** The owner of the attachment's objects on the host; empty for names that no plugin accepts. */
  Optional<AttachmentOwner> owner() {
    try {
      return AttachmentOwner.of(
          new NetworkName(record.network()), new Attachment(key.containerId(), key.ifName()));
    } catch (CniException _) {
      return Optional.empty();
    }
  }
}
