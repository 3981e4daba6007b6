package io.ocicat.cli.doctor;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.NetworkFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Addresses that host-local has leased to containers that nobody knows. Only told of: a lease is
 * freed by the network's GC, which asks the runtime.
 */
record OrphanLeasesCheck(KnownAttachments known, Cni cni) implements Check {
  private static final String HOST_LOCAL = "host-local";
  private static final String USUAL = "/var/lib/cni/networks";

  /** More than any lease has. */
  private static final int MAX_LEASE = 1 << 17;

  @Override
  public String name() {
    return "leases";
  }

  @Override
  public List<Finding> look() {
    List<Finding> findings = new ArrayList<>();
    for (NetworkFile network : cni.networks().networks()) {
      for (PluginConfig plugin : network.list().plugins()) {
        if (plugin.ipamType().equals(HOST_LOCAL)) {
          look(network.name(), plugin).ifPresent(findings::add);
        }
      }
    }
    return findings;
  }

  private Optional<Finding> look(String network, PluginConfig plugin) {
    List<String> orphans = new ArrayList<>();
    String folder = plugin.json().path("ipam").path("dataDir").asString(USUAL);
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of(folder, network), "[0-9a-f]*")) {
      for (Path file : files) {
        holder(file)
            .filter(holder -> !known.attachments().contains(holder))
            .ifPresent(
                holder ->
                    orphans.add("%s (%s)".formatted(file.getFileName(), holder.containerId())));
      }
    } catch (IOException | InvalidPathException _) {
      // Nothing was ever leased there.
    }
    if (orphans.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.warning(
            "%d addresses of network %s are leased to containers that nobody knows: %s"
                .formatted(orphans.size(), network, OrphanLinksCheck.some(orphans)),
            "when all are leased no container gets an address",
            "if the containers are gone, `ocicat net gc %s --living` frees them"
                .formatted(network)));
  }

  /** A lease is the container's id and, since long, the interface on a second line. */
  private static Optional<Attachment> holder(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > MAX_LEASE) {
      return Optional.empty();
    }
    List<String> lines = Files.readString(file).strip().lines().toList();
    return lines.size() == 2
        ? Optional.of(new Attachment(lines.get(0), lines.get(1)))
        : Optional.empty();
  }
}
