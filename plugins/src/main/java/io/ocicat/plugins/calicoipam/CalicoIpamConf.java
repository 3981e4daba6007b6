package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.json.JsonFields;
import io.ocicat.cni.json.JsonValue;
import io.ocicat.plugins.calicolog.LogConf;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the plugin is asked for. Where its datastore is, {@link
 * io.ocicat.datastore.config.DatastoreConfig} reads from the same document; only the types of those
 * members are looked at here, so that every mistake is told at once.
 *
 * @param node who asks for addresses
 * @param lockFile what Calico's IPAM plugin locks on this host
 * @param v4Pools names or CIDRs; empty for those that select the node
 * @param maxBlocks how many blocks the host may own; 0 for what the datastore's settings say
 */
record CalicoIpamConf(
    NodeName node,
    Path lockFile,
    boolean v4,
    boolean v6,
    List<String> v4Pools,
    List<String> v6Pools,
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
    checkDatastore(in);
    JsonFields ipam = in.object("ipam");
    return new CalicoIpamConf(
        NodeName.read(in),
        lockFile(in),
        assigns(ipam, "assign_ipv4", true),
        assigns(ipam, "assign_ipv6", false),
        pools(ipam, "ipv4_pools"),
        pools(ipam, "ipv6_pools"),
        in.bool("windows_use_single_network").or(false) ? 1 : 0,
        LogConf.read(in));
  }

  /** For DEL and CHECK, which no other mistake concerns. */
  static LogConf log(PluginConfig config) {
    return LogConf.read(JsonFields.of(config.json()));
  }

  /** For DEL, which no other mistake may keep from releasing addresses. */
  static Path lockFile(PluginConfig config) {
    return lockFile(JsonFields.of(config.json()));
  }

  private static Path lockFile(JsonFields in) {
    return path(in, "ipam_lock_file", LOCK_FILE);
  }

  /** Calico has texts here; everybody writes booleans at first. */
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

  private static void checkDatastore(JsonFields in) {
    for (String name :
        List.of(
            "datastore_type",
            "etcd_endpoints",
            "etcd_discovery_srv",
            "etcd_key_file",
            "etcd_cert_file",
            "etcd_ca_cert_file",
            "etcd_authority",
            "etcd_scheme",
            "calico_api_group")) {
      in.text(name).or("");
    }
    for (String name :
        List.of("qps", "burst")) {
      in.integer(name, 0, Integer.MAX_VALUE).or(0);
    }
    JsonFields kubernetes = in.object("kubernetes");
    kubernetes.text("kubeconfig").or("");
    kubernetes.text("k8s_api_root").or("");
    JsonFields policy = in.object("policy");
    policy.text("type").or("");
    policy.text("k8s_api_root").or("");
    policy.text("k8s_auth_token").or("");
  }

  static Path path(JsonFields in, String name, String fallback) {
    return in.text(name)
        .map(text -> absolute(text.isEmpty() ? fallback : text), Path.of(fallback))
        .or(Path.of(fallback));
  }

  private static Path absolute(String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("is not a path: " + e.getReason(), e);
    }
    throw new IllegalArgumentException("must be an absolute path, not \"%s\"".formatted(text));
  }
}
