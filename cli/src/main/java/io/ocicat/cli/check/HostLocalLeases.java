package io.ocicat.cli.check;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.NetworkFile;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.plugins.hostlocal.Lease;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Lists the addresses that host-local has leased: in the configured networks, in those of our
 * attachments, and in every folder of the usual directory. So it also finds leases whose network
 * has no configuration file any more, and flannel's.
 */
public final class HostLocalLeases {
  private static final String HOST_LOCAL = "host-local";
  private static final String FLANNEL = "flannel";
  private static final String USUAL = "var/lib/cni/networks";

  private HostLocalLeases() {}

  /**
   * All of them, each once.
   *
   * @param root below which the files of other programs are found
   * @throws CniException when the configuration directory cannot be read
   */
  public static List<Lease> of(Cni cni, ExpectedAttachments expectedAttachments, Path root) {
    Set<Lease> leases = new LinkedHashSet<>();
    for (NetworkFile network : cni.networks().networks()) {
      for (PluginConfig plugin : network.list().plugins()) {
        read(network.name(), plugin, leases);
      }
    }
    for (ExpectedAttachment expected : expectedAttachments.all()) {
      for (CallRecord request : expected.requests()) {
        ofRequest(request, leases);
      }
    }
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(root.resolve(USUAL))) {
      for (Path folder : folders) {
        if (Files.isDirectory(folder)) {
          leases.addAll(Lease.in(folder));
        }
      }
    } catch (IOException _) {
      // host-local was never used here.
    }
    return new ArrayList<>(leases);
  }

  private static void ofRequest(CallRecord request, Set<Lease> leases) {
    try {
      PluginConfig config = PluginConfig.ofRequest(request.stdin());
      read(config.name(), config, leases);
    } catch (CniException _) {
      // Nothing is leased from a configuration that cannot be read.
    }
  }

  /** What is wrong with one network must not hide the others. */
  private static void read(String network, PluginConfig plugin, Set<Lease> leases) {
    boolean named = plugin.ipamType().equals(HOST_LOCAL);
    if (named || (plugin.type().equals(FLANNEL) && plugin.json().has("ipam"))) {
      try {
        leases.addAll(Lease.of(network, plugin));
      } catch (CniException _) {
        // The check of configurations reports it.
      }
    }
  }
}
