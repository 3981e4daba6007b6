package io.ocicat.plugins.calico;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.model.WorkloadInterfaceName;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.net.NamingHash;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The identity of a workload in Calico's terms.
 *
 * @param namespace of the pod, and of the endpoint in the datastore
 * @param pod empty for a container that is not a pod
 * @param containerId in the form that Calico's resources can hold
 * @param ifName CNI_IFNAME
 */
record WorkloadIdentity(
    String node, String namespace, String pod, String containerId, String rawId, String ifName) {
  private static final Set<String> ARGS =
      Set.of(
          "IP",
          "K8S_POD_NAME",
          "K8S_POD_NAMESPACE",
          "K8S_POD_INFRA_CONTAINER_ID",
          "K8S_POD_UID",
          "CNI_TEST_NAMESPACE");
  private static final String DEFAULT_NAMESPACE = "default";
  private static final int SUFFIX = WorkloadInterfaceName.SUFFIX;
  private static final int HASH_DIGITS = 40;
  private static final int LONGEST_ID = 128;

  /** The container ids that Calico accepts; the specification allows more. */
  private static final Pattern ID = Pattern.compile("[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?");

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]*[a-z0-9])?");
  private static final Pattern DOTS = Pattern.compile(".*(\\.\\.|-\\.|\\.-).*");

  /**
   * Reads the identity from a call.
   *
   * @param mesos labels, one of which may name the namespace
   * @throws CniException with code 4 when CNI_ARGS is invalid
   */
  static WorkloadIdentity of(AttachmentCall call, String node, Map<String, String> mesos) {
    CniArgs args = args(call);
    args.refuseUnknown(ARGS);
    args.get("IP", IpAddress::parse);
    String pod = args.get("K8S_POD_NAME").orElse("");
    String podNamespace = args.get("K8S_POD_NAMESPACE").orElse("");
    String raw = call.containerId().value();
    String ifName = call.ifName().value();
    if (!pod.isEmpty() && !podNamespace.isEmpty()) {
      requireName("K8S_POD_NAME", pod);
      requireName("K8S_POD_NAMESPACE", podNamespace);
      return new WorkloadIdentity(
          node, podNamespace, pod, ID.matcher(raw).matches() ? raw : hashed(raw), raw, ifName);
    }
    String namespace =
        mesos.getOrDefault(
            MesosLabels.NAMESPACE, args.get("CNI_TEST_NAMESPACE").orElse(DEFAULT_NAMESPACE));
    boolean usable = isName(raw) && ID.matcher(raw).matches() && raw.length() <= LONGEST_ID;
    return new WorkloadIdentity(node, namespace, "", usable ? raw : hashed(raw), raw, ifName);
  }

  /** Also for delegates: they must ignore arguments that the runtime meant for other plugins. */
  static CniArgs args(AttachmentCall call) {
    String given = call.environment().getOrDefault("CNI_ARGS", "");
    String ignoring = CniArgs.IGNORE_UNKNOWN + "=1";
    return CniArgs.parse(given.isEmpty() ? ignoring : ignoring + ";" + given);
  }

  private static void requireName(String argument, String value) {
    if (!isName(value)) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "%s \"%s\" is not a name of Kubernetes".formatted(argument, value),
          "it must be lower-case letters, digits, - and ., with a letter or digit at both ends");
    }
  }

  static boolean isName(String text) {
    return NAME.matcher(text).matches() && !DOTS.matcher(text).matches() && text.length() <= 253;
  }

  /** The container id as Calico's resources can hold it. */
  static Set<String> idsOf(String raw) {
    return Set.of(raw, hashed(raw));
  }

  private static String hashed(String text) {
    return NamingHash.of(text, HASH_DIGITS);
  }

  boolean isPod() {
    return !pod.isEmpty();
  }

  String orchestrator() {
    return isPod() ? WorkloadEndpointName.KUBERNETES : WorkloadEndpointName.CNI;
  }

  /** The interface name as Calico's resources can hold it. */
  String endpoint() {
    return isName(ifName) ? ifName : "if" + NamingHash.of(ifName, SUFFIX);
  }

  /** The name of its endpoint, existing or not. */
  WorkloadEndpointName name() {
    return new WorkloadEndpointName(node, orchestrator(), isPod() ? pod : containerId, endpoint());
  }

  ResourceKey.Named key() {
    return new ResourceKey.Named(Kind.WORKLOAD_ENDPOINT, namespace, name().text());
  }

  /** The part of the endpoint's name that does not depend on the interface. */
  WorkloadEndpointName anyInterface() {
    WorkloadEndpointName name = name();
    return new WorkloadEndpointName(name.node(), name.orchestrator(), name.workload(), "");
  }

  /** All endpoints that may belong to this workload. */
  ResourceQuery query() {
    return ResourceQuery.startingWith(Kind.WORKLOAD_ENDPOINT, namespace, anyInterface().prefix());
  }

  /**
   * The name of the veth pair's host end. A pod's never changes: Felix computes it, too.
   *
   * @param environment may define another prefix for pods
   */
  String veth(Map<String, String> environment) {
    if (isPod()) {
      String prefixes = environment.getOrDefault("FELIX_INTERFACEPREFIX", "");
      String first = prefixes.split(",", 2)[0].strip();
      return WorkloadInterfaceName.ofPod(
          first.isEmpty() ? WorkloadInterfaceName.PREFIX : first, namespace, pod);
    }
    return WorkloadInterfaceName.PREFIX + rawId.substring(0, Math.min(SUFFIX, rawId.length()));
  }

  /**
   * The alternative name for a container whose id starts like that of another one, which has the
   * usual name.
   */
  String otherVeth() {
    return WorkloadInterfaceName.hashed(WorkloadInterfaceName.PREFIX, rawId);
  }

  @Override
  public String toString() {
    return isPod() ? "pod %s/%s".formatted(namespace, pod) : "container " + rawId;
  }
}
