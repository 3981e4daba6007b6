package io.ocicat.ipam.assign;

import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.HandleCounts;
import io.ocicat.ipam.block.Handles;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Enforces the maximum number of addresses per handle. Thread-safe. */
public final class HandleQuota {
  private final IpamRecords records;
  private final HandleCounts counts;
  private final AddressLookup lookup;

  public HandleQuota(IpamRecords records, HandleCounts counts, AddressLookup lookup) {
    this.records = records;
    this.counts = counts;
    this.lookup = lookup;
  }

  private static Optional<String> limited(AutoAssignRequest request) {
    return Optional.ofNullable(request.handle()).filter(_ -> request.maxPerHandle() > 0);
  }

  /** The handle revision that allocations for it depend on; null when the handle has no limit. */
  public @Nullable Resource pinned(AssignmentProgress progress) {
    Optional<String> id = limited(progress.request());
    if (id.isEmpty()) {
      return null;
    }
    Optional<IpamRecords.Stored<IpamHandle>> handle = records.handle(id.get());
    handle.ifPresent(
        found ->
            Handles.checkLimit(
                found.value(),
                progress.version(),
                progress.missing(),
                progress.request().maxPerHandle()));
    return Handles.pinned(id.get(), handle);
  }

  /** Returns the handle's addresses as the result when it already has as many as it may. */
  Optional<AssignmentResult> reuse(AssignmentProgress progress) {
    AutoAssignRequest request = progress.request();
    Optional<IpamRecords.Stored<IpamHandle>> handle = limited(request).flatMap(records::handle);
    if (handle.isEmpty()) {
      return Optional.empty();
    }
    IpamHandle found = handle.get().value();
    IpVersion version = progress.version();
    int counted = Handles.total(found, version);
    if (counted + progress.missing() <= request.maxPerHandle()) {
      return Optional.empty();
    }
    List<IpAddress> has =
        lookup.byHandle(found).stream()
            .filter(address -> address.isV4() == (version == IpVersion.V4))
            .toList();
    int wanted = request.count(version);
    if (has.size() >= wanted) {
      return Optional.of(
          new AssignmentResult(
              version,
              has.subList(0, wanted).stream().map(IpPrefix::host).toList(),
              wanted,
              null,
              List.of()));
    }
    if (has.size() == counted) {
      Handles.checkLimit(found, version, progress.missing(), request.maxPerHandle());
    }
    // Another process died, or is still at work, between counting and allocating.
    counts.recountAll(found);
    return Optional.empty();
  }
}
