package io.ocicat.ipam.assign;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.BlockReleaser;
import io.ocicat.ipam.block.CountedHandle;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.ReleaseRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The addresses that a request has been assigned so far, for one family. */
final class AssignmentProgress {
  private final AutoAssignRequest request;
  private final IpVersion version;
  private final @Nullable CountedHandle counted;
  private final Map<IpAddress, IpPrefix> assigned = new LinkedHashMap<>();
  private final Set<String> messages = new LinkedHashSet<>();

  AssignmentProgress(
      AutoAssignRequest request, IpVersion version, @Nullable CountedHandle counted) {
    this.request = request;
    this.version = version;
    this.counted = counted;
  }

  /** The handle that both families of the request share; null when they share none. */
  public @Nullable CountedHandle counted() {
    return counted;
  }

  public AutoAssignRequest request() {
    return request;
  }

  public IpVersion version() {
    return version;
  }

  public IpamBlock.Attributes attributes() {
    return new IpamBlock.Attributes(request.handle(), request.attributes());
  }

  public int missing() {
    return request.count(version) - assigned.size();
  }

  public void add(IpPrefix block, List<IpAddress> addresses) {
    addresses.forEach(address -> assigned.put(address, block));
  }

  void addMessage(String message) {
    messages.add(message);
  }

  public AssignmentResult complete() {
    return result(null);
  }

  public AssignmentResult result(AssignmentResult.@Nullable Shortage shortage) {
    List<IpPrefix> addresses = new ArrayList<>();
    assigned.forEach((address, block) -> addresses.add(IpPrefix.of(address, block.length())));
    return new AssignmentResult(
        version, addresses, request.count(version), shortage, List.copyOf(messages));
  }

  /** Releases everything again after the request as a whole has failed. */
  public void undo(BlockReleaser blockReleaser, RuntimeException because) {
    assigned.forEach(
        (address, block) -> {
          try {
            blockReleaser.release(
                block, List.of(new ReleaseRequest(address, request.handle(), null)));
          } catch (RuntimeException e) {
            because.addSuppressed(e);
          }
        });
  }
}
