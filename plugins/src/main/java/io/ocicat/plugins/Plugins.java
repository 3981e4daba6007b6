package io.ocicat.plugins;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.bandwidth.BandwidthPlugin;
import io.ocicat.plugins.bridge.BridgePlugin;
import io.ocicat.plugins.calico.CalicoOptions;
import io.ocicat.plugins.calico.CalicoPlugin;
import io.ocicat.plugins.calicoipam.CalicoIpamOptions;
import io.ocicat.plugins.calicoipam.CalicoIpamPlugin;
import io.ocicat.plugins.firewall.FirewallPlugin;
import io.ocicat.plugins.flannel.FlannelPlugin;
import io.ocicat.plugins.hostlocal.HostLocalPlugin;
import io.ocicat.plugins.httpipam.HttpIpamPlugin;
import io.ocicat.plugins.loopback.LoopbackPlugin;
import io.ocicat.plugins.macvlan.MacvlanPlugin;
import io.ocicat.plugins.portmap.PortmapPlugin;
import io.ocicat.plugins.ptp.PtpPlugin;
import io.ocicat.plugins.staticipam.StaticPlugin;
import io.ocicat.plugins.support.PluginOptions;
import io.ocicat.plugins.tuning.TuningPlugin;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** The registry of all plugins, by the names of their executables. Creating one loads no other. */
public final class Plugins {
  private static final Map<String, Function<Datastores, Plugin>> BY_NAME =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("bandwidth", _ -> new BandwidthPlugin()),
              Map.entry("bridge", _ -> new BridgePlugin()),
              Map.entry("calico", CalicoPlugin::new),
              Map.entry("calico-ipam", CalicoIpamPlugin::new),
              Map.entry("firewall", _ -> new FirewallPlugin()),
              Map.entry("flannel", _ -> new FlannelPlugin()),
              Map.entry("host-local", _ -> new HostLocalPlugin()),
              Map.entry("ipam", _ -> new HttpIpamPlugin()),
              Map.entry("loopback", _ -> new LoopbackPlugin()),
              Map.entry("macvlan", _ -> new MacvlanPlugin()),
              Map.entry("portmap", _ -> new PortmapPlugin()),
              Map.entry("ptp", _ -> new PtpPlugin()),
              Map.entry("static", _ -> new StaticPlugin()),
              Map.entry("tuning", _ -> new TuningPlugin())));

  private Plugins() {}

  /**
   * The plugin of that name.
   *
   * @param datastores where the plugin finds its datastore, if it uses one; opened when a call
   *     needs it
   */
  public static Optional<Plugin> named(String name, Datastores datastores) {
    return Optional.ofNullable(BY_NAME.get(name)).map(making -> making.apply(datastores));
  }

  /** The command-line options of that plugin's executable; most have none. */
  public static Optional<PluginOptions> options(
      String name, Datastores datastores, Map<String, String> environment) {
    return switch (name) {
      case "calico" -> Optional.of(new CalicoOptions(datastores, environment));
      case "calico-ipam" -> Optional.of(new CalicoIpamOptions(datastores, environment));
      default -> Optional.empty();
    };
  }

  /** The names of all plugins, in alphabetical order. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(BY_NAME.keySet());
  }
}
