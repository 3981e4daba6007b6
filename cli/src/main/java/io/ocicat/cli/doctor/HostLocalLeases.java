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

/** The addresses that host-local has leased, in the networks that are configured. */
public final class HostLocalLeases {
  private static final String HOST_LOCAL = "host-local";
  private static final String USUAL = "/var/lib/cni/networks";

  /** More than any lease has. */
  private static final int MAX_LEASE = 1 << 17;

  private HostLocalLeases() {}

  /** An address, and whose it is. */
  public record Lease(String network, String address, Attachment holder) {}

  /** Those that name their container's interface, as all do since long. */
  public static List<Lease> of(Cni cni) {
    List<Lease> leases = new ArrayList<>();
    for (NetworkFile network : cni.networks().networks()) {
      for (PluginConfig plugin : network.list().plugins()) {
        if (plugin.ipamType().equals(HOST_LOCAL)) {
          read(network.name(), plugin, leases);
        }
      }
    }
    return leases;
  }

  private static void read(String network, PluginConfig plugin, List<Lease> leases) {
    String folder = plugin.json().path("ipam").path("dataDir").asString(USUAL);
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of(folder, network), "[0-9a-f]*")) {
      for (Path file : files) {
        holder(file)
            .map(holder -> new Lease(network, file.getFileName().toString(), holder))
            .ifPresent(leases::add);
      }
    } catch (IOException | InvalidPathException _) {
      // Nothing was ever leased there.
    }
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
