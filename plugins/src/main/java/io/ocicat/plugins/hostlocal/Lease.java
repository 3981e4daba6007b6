package io.ocicat.plugins.hostlocal;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.hostlocal.LeaseScan.Found;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An address that is leased, and its owner. */
public record Lease(String network, IpAddress address, Attachment holder) {

  /**
   * The leases of a network whose files name the interface, as all but very old ones do; empty when
   * nothing was ever leased there. Changes nothing and takes no lock.
   *
   * @param plugin the plugin of that network for which host-local leases addresses
   * @throws CniException when the configuration does not say where leases are, or they cannot be
   *     read
   */
  public static List<Lease> of(String network, PluginConfig plugin) {
    return in(network, HostLocalConf.directory(plugin, network));
  }

  /**
   * The leases in a directory, which has the name of its network; for networks whose configuration
   * is gone.
   *
   * @throws CniException when they cannot be read
   */
  public static List<Lease> in(Path directory) {
    return in(String.valueOf(directory.getFileName()), directory);
  }

  private static List<Lease> in(String network, Path directory) {
    try {
      return LeaseScan.readOnly(directory).files().stream()
          .map(file -> read(network, file))
          .flatMap(Optional::stream)
          .toList();
    } catch (IOException e) {
      throw Leases.failure("read the leases in " + directory, e);
    }
  }

  /** The directory of a network's leases, each in a file with the name of its address. */
  public static Path directory(String network, PluginConfig plugin) {
    return HostLocalConf.directory(plugin, network);
  }

  private static Optional<Lease> read(String network, Found file) {
    return file.holder()
        .flatMap(LeaseOwner::attachment)
        .flatMap(holder -> file.address().map(address -> new Lease(network, address, holder)));
  }
}
