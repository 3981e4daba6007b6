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

/** An address that is leased, and to whom. */
public record Lease(String network, IpAddress address, Attachment holder) {

  /**
   * Those of a network that name their container's interface, as all do since long; none when
   * nothing was ever leased there. Changes nothing and waits for nobody.
   *
   * @param plugin the plugin of that network for which host-local leases addresses
   * @throws CniException when the configuration does not say where they are, or they cannot be read
   */
  public static List<Lease> of(String network, PluginConfig plugin) {
    return in(network, HostLocalConf.directory(plugin, network));
  }

  /**
   * Those in a directory of leases, which has the name of its network; for networks whose
   * configuration is gone.
   *
   * @throws CniException when they cannot be read
   */
  public static List<Lease> in(Path directory) {
    return in(String.valueOf(directory.getFileName()), directory);
  }

  private static List<Lease> in(String network, Path directory) {
    try {
      return LeaseScan.look(directory).files().stream()
          .map(file -> read(network, file))
          .flatMap(Optional::stream)
          .toList();
    } catch (IOException e) {
      throw Leases.failure("read the leases in " + directory, e);
    }
  }

  /** Where the leases of a network are, each in a file with the name of its address. */
  public static Path directory(String network, PluginConfig plugin) {
    return HostLocalConf.directory(plugin, network);
  }

  private static Optional<Lease> read(String network, Found file) {
    return file.holder()
        .flatMap(LeaseOwner::attachment)
        .flatMap(holder -> file.address().map(address -> new Lease(network, address, holder)));
  }
}
