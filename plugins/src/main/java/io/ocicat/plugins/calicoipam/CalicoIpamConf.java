package io.ocicat.plugins.calicoipam;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.PluginConfig;
import io.ocicat.plugins.calicocluster.DatastoreMembers;
import io.ocicat.plugins.calicocluster.NodeName;
import io.ocicat.plugins.calicolog.LogConf;
import io.ocicat.plugins.support.AbsolutePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The configuration of the calico-ipam plugin. The location of its datastore is read by {@link
 * io.ocicat.datastore.config.DatastoreConfig} from the same document; here only the types of those
 * members are checked, so that every mistake is reported at once.
 *
 * @param node the node that requests addresses
 * @param lockFile the file that Calico's IPAM plugin locks on this host
 * @param v4Pools names or CIDRs; empty for those that select the node
 * @param describesPods whether namespaces can be read from Kubernetes
 * @param maxBlocks how many blocks the host may own; 0 to use the datastore's settings
 */
record CalicoIpamConf(
    NodeName node,
    Path lockFile,
    boolean v4,
    boolean v6,
    List<String> v4Pools,
    List<String> v6Pools,
    boolean describesPods,
    int maxBlocks,
    LogConf log) {
  private static final String LOCK_FILE = "/var/run/calico/ipam.lock";

  CalicoIpamConf {
    v4Pools = List.copyOf(v4Pools);
    v6Pools = List.copyOf(v6Pools);
  }

  /**
   * Reads the configuration.
   *
   * @throws io.ocicat.cni.CniException with code 7, naming every bad field
   */
  static CalicoIpamConf read(PluginConfig config) {
    return config.read(CalicoIpamConf::read);
  }

  private static CalicoIpamConf read(JsonFields in) {
    DatastoreMembers.check(in);
    JsonFields ipam = in.object("ipam");
    return new CalicoIpamConf(
        NodeName.read(in),
        lockFile(in),
        assigns(ipam, "assign_ipv4", true),
        assigns(ipam, "assign_ipv6", false),
        pools(ipam, "ipv4_pools"),
        pools(ipam, "ipv6_pools"),
        in.object("policy").text("type").or("").equals("k8s")
            || !in.object("kubernetes").text("kubeconfig").or("").isEmpty(),
        in.bool("windows_use_single_network").or(false) ? 1 : 0,
        LogConf.read(in));
  }

  /** For DEL and CHECK, to which other mistakes do not matter. */
  static LogConf log(PluginConfig config) {
    return LogConf.read(JsonFields.of(config.json()));
  }

  /** For DEL, which no other mistake may keep from releasing addresses. */
  static Path lockFile(PluginConfig config) {
    return lockFile(JsonFields.of(config.json()));
  }

  private static Path lockFile(JsonFields in) {
    return AbsolutePath.read(in, "ipam_lock_file", LOCK_FILE);
  }

  /** Calico expects strings here; everybody writes booleans at first. */
  private static boolean assigns(JsonFields in, String name, boolean fallback) {
    JsonValue value = in.value(name);
    if (value.raw().filter(raw -> raw.isBoolean()).isPresent()) {
      return value.bool().or(fallback);
    }
    String text =
        value
            .text()
            .check(Set.of("", "true", "false")::contains, "must be \"true\" or \"false\"")
            .or("");
    return text.isEmpty() ? fallback : text.equals("true");
  }

  private static List<String> pools(JsonFields in, String name) {
    return in.texts(name)
        .check(
            pools -> pools.stream().noneMatch(String::isBlank),
            "must be names of pools or CIDRs, none of them empty")
        .or(List.of());
  }
}
