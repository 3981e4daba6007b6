package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionNumber;
import io.ocicat.cni.VersionReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Caches which versions the plugins support. Each is asked once, and again when its file has
 * changed: a kubelet that validates its network every five seconds must not start a process each
 * time.
 */
final class PluginVersions {
  private final PluginCalls calls;
  private final Map<Path, Known> known = new ConcurrentHashMap<>();

  private record Known(Stamp stamp, VersionReply reply) {}

  private record Stamp(@Nullable Object file, FileTime modified, long size) {}

  PluginVersions(PluginCalls calls) {
    this.calls = calls;
  }

  /**
   * Asks the plugin.
   *
   * @throws CniException when it cannot answer
   */
  VersionReply of(Path executable, Deadline deadline) {
    Stamp stamp = stamp(executable);
    Known before = known.get(executable);
    if (stamp != null && before != null && before.stamp.equals(stamp)) {
      return before.reply;
    }
    VersionReply reply = calls.version(executable, deadline);
    if (stamp != null) {
      known.put(executable, new Known(stamp, reply));
    }
    return reply;
  }

  private static @Nullable Stamp stamp(Path executable) {
    try {
      BasicFileAttributes file = Files.readAttributes(executable, BasicFileAttributes.class);
      return new Stamp(file.fileKey(), file.lastModifiedTime(), file.size());
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * The highest of a list's versions that this runtime and all its plugins support. A list with a
   * single version is not negotiated: its plugins reject it themselves.
   *
   * @throws CniException with code 1 when there is none
   */
  PluginChain negotiate(PluginChain chain, Deadline deadline) {
    if (chain.list().cniVersions().isEmpty()) {
      return chain;
    }
    List<String> offered =
        Stream.concat(
                chain.list().cniVersions().stream(),
                Stream.of(chain.list().cniVersion()).filter(v -> !v.isEmpty()))
            .filter(v -> SpecVersion.find(v).isPresent())
            .sorted(Comparator.comparing(VersionNumber::parse).reversed())
            .toList();
    List<VersionReply> replies = new ArrayList<>();
    for (PluginConfig plugin : chain.plugins()) {
      replies.add(of(calls.find(plugin.type()), deadline));
    }
    return offered.stream()
        .filter(version -> replies.stream().allMatch(reply -> reply.supports(version)))
        .findFirst()
        .map(chain::withVersion)
        .orElseThrow(() -> incompatible(chain, offered, replies));
  }

  private static CniException incompatible(
      PluginChain chain, List<String> offered, List<VersionReply> replies) {
    List<String> details = new ArrayList<>();
    for (int i = 0; i < replies.size(); i++) {
      details.add(
          "plugin %s supports %s"
              .formatted(
                  Quoted.of(chain.plugins().get(i).type()),
                  Quoted.list(replies.get(i).supportedVersions())));
    }
    return new CniException(
        ErrorCode.INCOMPATIBLE_VERSION,
        "no version of network %s is supported by all its plugins"
            .formatted(Quoted.of(chain.network().value())),
        "config has %s, %s".formatted(Quoted.list(offered), String.join(", ", details)));
  }
}
