package io.ocicat.cli.doctor;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.NetworkFile;
import io.ocicat.plugins.hostlocal.Lease;
import java.util.ArrayList;
import java.util.List;

/** The addresses that host-local has leased, in the networks that are configured. */
public final class HostLocalLeases {
  private static final String HOST_LOCAL = "host-local";

  private HostLocalLeases() {}

  public static List<Lease> of(Cni cni) {
    List<Lease> leases = new ArrayList<>();
    for (NetworkFile network : cni.networks().networks()) {
      for (PluginConfig plugin : network.list().plugins()) {
        if (plugin.ipamType().equals(HOST_LOCAL)) {
          leases.addAll(read(network.name(), plugin));
        }
      }
    }
    return leases;
  }

  private static List<Lease> read(String network, PluginConfig plugin) {
    try {
      return Lease.of(network, plugin);
    } catch (CniException _) {
      // What is wrong with one network must not hide the others.
      return List.of();
    }
  }
}
