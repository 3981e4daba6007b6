package io.ocicat.plugins.calico;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.Call;
import io.ocicat.plugins.calicocluster.DatastoreChoice;
import io.ocicat.plugins.calicocluster.DatastoreMembers;
import io.ocicat.plugins.calicocluster.NodeName;
import io.ocicat.plugins.calicolog.LogConf;
import io.ocicat.plugins.support.AbsolutePath;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The configuration of the calico plugin. The location of its datastore is read by {@link
 * io.ocicat.datastore.config.DatastoreConfig} from the same document; here only the types of those
 * members are checked, so that every mistake is reported at once.
 *
 * @param node how to find the node's name
 * @param mtu of both ends of the veth pair; 0 to use the MTU file
 * @param queues of both ends
 * @param mesosLabels as they are written
 */
record CalicoConf(
    NodeName node,
    String ipamType,
    int mtu,
    boolean requireMtuFile,
    int queues,
    Policy policy,
    Features features,
    boolean allowIpForwarding,
    boolean includeDefaultRoutes,
    String dataplane,
    List<URI> readinessGates,
    Duration policySetupTimeout,
    Path endpointStatusDir,
    String kubernetesNodeName,
    Map<String, String> mesosLabels,
    LogConf log) {
  static final String CALICO_IPAM = "calico-ipam";
  static final String HOST_LOCAL = "host-local";
  private static final String AZURE = "azure-vnet-ipam";
  private static final String STATUS_DIR = "/var/run/calico/endpoint-status";
  private static final int LARGEST_MTU = 65535;
  private static final int MAX_QUEUES = 4096;
  private static final int LONGEST_WAIT = 3600;
  private static final Set<String> DEVICES = Set.of("", "veth", "netkit");

  /** Who defines what an endpoint may send and receive: Kubernetes, or a profile of ours. */
  record Policy(String type) {
    boolean isKubernetes() {
      return type.equals("k8s");
    }

    boolean isNone() {
      return type.isEmpty();
    }
  }

  /** What pods may request by annotations, where the operator allows it. */
  record Features(boolean ipAddrsNoIpam, boolean floatingIps) {}

  /**
   * Reads the configuration.
   *
   * @throws CniException with code 7, naming every bad field
   */
  static CalicoConf read(PluginConfig config) {
    try {
      return config.read(CalicoConf::read);
    } catch (CniException e) {
      throw e.prefixed("failed to load netconf: ");
    }
  }

  /**
   * Reads the configuration of a call. With a datastore of this machine there is no calico/node
   * whose file could show that it has started, so it is only required where the configuration says
   * so.
   *
   * @throws CniException with code 7, naming every bad field
   */
  static CalicoConf of(Call call) {
    CalicoConf conf = read(call.config());
    boolean said = call.config().json().has("nodename_file_optional");
    return !said && isEmbedded(call) ? conf.withoutNodeFile() : conf;
  }

  private static boolean isEmbedded(Call call) {
    try {
      return DatastoreChoice.of(call).isEmbedded();
    } catch (CniException _) {
      // Whoever opens the datastore reports it.
      return false;
    }
  }

  private CalicoConf withoutNodeFile() {
    return new CalicoConf(
        node.withoutFile(),
        ipamType,
        mtu,
        requireMtuFile,
        queues,
        policy,
        features,
        allowIpForwarding,
        includeDefaultRoutes,
        dataplane,
        readinessGates,
        policySetupTimeout,
        endpointStatusDir,
        kubernetesNodeName,
        mesosLabels,
        log);
  }

  private static CalicoConf read(JsonFields in) {
    DatastoreMembers.check(in);
    checkUnused(in);
    in.text("device_type")
        .check(DEVICES::contains, "must be veth or netkit (which is made as veth)");
    return new CalicoConf(
        NodeName.read(in),
        ipam(in.object("ipam")),
        in.integer("mtu", 0, LARGEST_MTU).or(0),
        in.bool("require_mtu_file").or(false),
        Math.max(1, in.integer("num_queues", Integer.MIN_VALUE, MAX_QUEUES).or(1)),
        policy(in.object("policy")),
        features(in.object("feature_control")),
        in.object("container_settings").bool("allow_ip_forwarding").or(false),
        in.bool("include_default_routes").or(false),
        dataplane(in.object("dataplane_options")),
        gates(in),
        Duration.ofSeconds(in.integer("policy_setup_timeout_seconds", 0, LONGEST_WAIT).or(0)),
        AbsolutePath.read(in, "endpoint_status_dir", STATUS_DIR),
        in.object("kubernetes").text("node_name").or(""),
        mesosLabels(in),
        LogConf.read(in));
  }

  private static String ipam(JsonFields in) {
    String type =
        in.text("type")
            .check(text -> !text.isEmpty(), "must not be empty: it names the IPAM plugin")
            .check(
                text -> !text.equals(AZURE),
                "must not be azure-vnet-ipam: what Calico keeps in files for it is not kept here;"
                    + " use calico-ipam or host-local")
            .required();
    for (String family : List.of("assign_ipv4", "assign_ipv6")) {
      // Calico expects strings here; everybody writes booleans at first.
      JsonValue value = in.value(family);
      if (value.raw().filter(raw -> !raw.isBoolean()).isPresent()) {
        value.text().check(Set.of("", "true", "false")::contains, "must be \"true\" or \"false\"");
      }
    }
    in.texts("ipv4_pools").or(List.of());
    in.texts("ipv6_pools").or(List.of());
    return type;
  }

  private static Policy policy(JsonFields in) {
    return new Policy(
        in.text("type").check(Set.of("", "k8s")::contains, "must be \"k8s\" or left out").or(""));
  }

  private static Features features(JsonFields in) {
    return new Features(in.bool("ip_addrs_no_ipam").or(false), in.bool("floating_ips").or(false));
  }

  /** The dataplane; only this one exists. */
  private static String dataplane(JsonFields in) {
    String type = in.text("type").or("");
    if (type.equals("grpc")) {
      if (in.text("socket").or("").isEmpty()) {
        in.problem("socket", "is missing: dataplane type grpc needs it");
      }
      in.problem(
          "type",
          "must not be grpc: interfaces are made by this plugin itself; leave it out, or keep"
              + " Calico's own plugin on nodes whose dataplane makes them (VPP)");
    } else if (!type.isEmpty()) {
      in.problem("type", "is an invalid dataplane type: leave it out for Linux");
    }
    return type;
  }

  private static List<URI> gates(JsonFields in) {
    List<String> texts = in.texts("readiness_gates").or(List.of());
    return texts.stream()
        .flatMap(
            text -> {
              try {
                URI uri = new URI(text);
                if (uri.getHost() != null
                    && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                  return Stream.of(uri);
                }
              } catch (URISyntaxException _) {
                // Rejected below.
              }
              in.problem(
                  "readiness_gates",
                  "has an invalid URL set for ReadinessGates: \"%s\" must be http:// or https://"
                      .formatted(text));
              return Stream.empty();
            })
        .toList();
  }

  private static Map<String, String> mesosLabels(JsonFields in) {
    Map<String, String> labels = new LinkedHashMap<>();
    in.object("args")
        .object("org.apache.mesos")
        .object("network_info")
        .object("labels")
        .objects("labels")
        .forEach(label -> labels.put(label.text("key").or(""), label.text("value").or("")));
    return labels;
  }

  /** Members without a meaning on Linux, whose types Calico checks nevertheless. */
  private static void checkUnused(JsonFields in) {
    in.text("ipam_lock_file").or("");
    in.text("mode").or("");
    in.text("vxlan_mac_prefix").or("");
    in.unsigned64("vxlan_vni").optional();
    in.integer("windows_pod_deletion_timestamp_timeout", 0, Integer.MAX_VALUE).or(0);
    in.bool("windows_use_single_network").or(false);
    in.bool("windows_disable_default_deny_all_policy").or(false);
    in.bool("windows_loopback_DSR").or(false);
  }
}
