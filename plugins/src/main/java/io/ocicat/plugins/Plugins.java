package io.ocicat.plugins;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.plugins.bandwidth.BandwidthPlugin;
import io.ocicat.plugins.bridge.BridgePlugin;
import io.ocicat.plugins.firewall.FirewallPlugin;
import io.ocicat.plugins.flannel.FlannelPlugin;
import io.ocicat.plugins.hostlocal.HostLocalPlugin;
import io.ocicat.plugins.httpipam.HttpIpamPlugin;
import io.ocicat.plugins.loopback.LoopbackPlugin;
import io.ocicat.plugins.macvlan.MacvlanPlugin;
import io.ocicat.plugins.portmap.PortmapPlugin;
import io.ocicat.plugins.ptp.PtpPlugin;
import io.ocicat.plugins.staticipam.StaticPlugin;
import io.ocicat.plugins.tuning.TuningPlugin;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The plugins there are, by the names of their executables. Making one loads no other. */
public final class Plugins {
  private static final Map<String, Supplier<Plugin>> BY_NAME =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("bandwidth", BandwidthPlugin::new),
              Map.entry("bridge", BridgePlugin::new),
              Map.entry("firewall", FirewallPlugin::new),
              Map.entry("flannel", FlannelPlugin::new),
              Map.entry("host-local", HostLocalPlugin::new),
              Map.entry("ipam", HttpIpamPlugin::new),
              Map.entry("loopback", LoopbackPlugin::new),
              Map.entry("macvlan", MacvlanPlugin::new),
              Map.entry("portmap", PortmapPlugin::new),
              Map.entry("ptp", PtpPlugin::new),
              Map.entry("static", StaticPlugin::new),
              Map.entry("tuning", TuningPlugin::new)));

  private Plugins() {}

  public static Optional<Plugin> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name)).map(Supplier::get);
  }

  /** In alphabetical order. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(BY_NAME.keySet());
  }
}
