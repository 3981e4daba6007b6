package io.ocicat.cli.inspect;

import io.ocicat.cni.CniException;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.daemon.info.Attached;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.PodName;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** An attachment as its runtime remembers it, in the form that our own records have. */
final class Remembered {
  private Remembered() {}

  /** The cache tells neither when nor by which plugins. */
  static Attached of(CachedAttachment cached) {
    AttachmentKey key = keyOf(cached);
    String netns = cached.container().netns();
    return new Attached(
        key.containerId(),
        key.ifName(),
        podOf(cached),
        cached.network().value(),
        "",
        netns,
        !NamespaceId.of(netns).isNone(),
        Instant.EPOCH,
        addresses(cached));
  }

  static AttachmentKey keyOf(CachedAttachment cached) {
    return new AttachmentKey(cached.container().id().value(), cached.container().ifName().value());
  }

  /** As the runtime told plugins; empty when it told none. */
  static String podOf(CachedAttachment cached) {
    return PodName.of(Map.of(CniEnvironment.ARGS, cached.container().args().toString()));
  }

  private static List<String> addresses(CachedAttachment cached) {
    try {
      return cached.result().stream()
          .flatMap(result -> result.ips().stream())
          .map(ip -> ip.address().toString())
          .toList();
    } catch (CniException _) {
      return List.of();
    }
  }
}
