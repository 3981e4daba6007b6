package io.ocicat.cli.check;

import io.ocicat.cni.CniException;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All attachments of this machine, from our own records and from libcni's cache.
 *
 * @param obstacles why some could not be read
 */
public record ExpectedAttachments(
    Map<AttachmentKey, ExpectedAttachment> byKey, List<String> obstacles) {
  public ExpectedAttachments {
    byKey = Map.copyOf(byKey);
    obstacles = List.copyOf(obstacles);
  }

  public static ExpectedAttachments of(DaemonState state, Cni cni) {
    List<String> obstacles = new ArrayList<>();
    Map<AttachmentKey, CachedAttachment> cached = new LinkedHashMap<>();
    try {
      cni.attachments().forEach(one -> cached.put(ExpectedAttachment.keyOf(one), one));
    } catch (CniException e) {
      obstacles.add(String.valueOf(e.getMessage()));
    }
    Map<AttachmentKey, List<CallRecord>> recorded = new LinkedHashMap<>();
    for (Kept kept : state.attachments().list()) {
      kept.record()
          .key()
          .ifPresent(
              key -> recorded.computeIfAbsent(key, _ -> new ArrayList<>()).add(kept.record()));
    }
    Map<AttachmentKey, ExpectedAttachment> expectedAttachments = new LinkedHashMap<>();
    cached.forEach((key, one) -> expectedAttachments.put(key, ExpectedAttachment.of(one)));
    recorded.forEach(
        (key, records) ->
            expectedAttachments.put(
                key,
                ExpectedAttachment.of(
                    key, records, Optional.ofNullable(cached.get(key)), state.boot())));
    return new ExpectedAttachments(expectedAttachments, obstacles);
  }

  public Collection<ExpectedAttachment> all() {
    return byKey.values();
  }

  /** The attachments that have an address; their containers may be gone. */
  public List<ExpectedAttachment> having(IpAddress address) {
    return all().stream()
        .filter(one -> one.addresses().stream().anyMatch(ip -> ip.address().equals(address)))
        .toList();
  }

  public ShortIds shortIds() {
    return ShortIds.among(byKey.keySet().stream().map(AttachmentKey::containerId).toList());
  }
}
