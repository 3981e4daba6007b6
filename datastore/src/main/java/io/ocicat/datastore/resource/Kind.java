package io.ocicat.datastore.resource;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kinds of resources. */
public enum Kind {
  WORKLOAD_ENDPOINT("WorkloadEndpoint", "workloadendpoints", Form.NAMESPACED),
  PROFILE("Profile", "profiles", Form.GLOBAL),
  IP_POOL("IPPool", "ippools", Form.GLOBAL),
  IP_RESERVATION("IPReservation", "ipreservations", Form.GLOBAL),
  NODE("Node", "nodes", Form.GLOBAL),
  CLUSTER_INFORMATION("ClusterInformation", "clusterinformations", Form.GLOBAL),
  HOST_ENDPOINT("HostEndpoint", "hostendpoints", Form.GLOBAL),
  NETWORK_POLICY("NetworkPolicy", "networkpolicies", Form.NAMESPACED),
  GLOBAL_NETWORK_POLICY("GlobalNetworkPolicy", "globalnetworkpolicies", Form.GLOBAL),
  STAGED_NETWORK_POLICY("StagedNetworkPolicy", "stagednetworkpolicies", Form.NAMESPACED),
  STAGED_GLOBAL_NETWORK_POLICY(
      "StagedGlobalNetworkPolicy", "stagedglobalnetworkpolicies", Form.GLOBAL),
  STAGED_KUBERNETES_NETWORK_POLICY(
      "StagedKubernetesNetworkPolicy", "stagedkubernetesnetworkpolicies", Form.NAMESPACED),
  NETWORK_SET("NetworkSet", "networksets", Form.NAMESPACED),
  GLOBAL_NETWORK_SET("GlobalNetworkSet", "globalnetworksets", Form.GLOBAL),
  TIER("Tier", "tiers", Form.GLOBAL),
  BGP_CONFIGURATION("BGPConfiguration", "bgpconfigurations", Form.GLOBAL),
  BGP_PEER("BGPPeer", "bgppeers", Form.GLOBAL),
  BGP_FILTER("BGPFilter", "bgpfilters", Form.GLOBAL),
  FELIX_CONFIGURATION("FelixConfiguration", "felixconfigurations", Form.GLOBAL),
  KUBE_CONTROLLERS_CONFIGURATION(
      "KubeControllersConfiguration", "kubecontrollersconfigurations", Form.GLOBAL),
  CALICO_NODE_STATUS("CalicoNodeStatus", "caliconodestatuses", Form.GLOBAL),
  /** Calico's public kind; etcd also has {@link #IPAM_CONFIG}. */
  IPAM_CONFIGURATION("IPAMConfiguration", "ipamconfigurations", Form.GLOBAL),
  /** Kubernetes' own, whose annotations Calico reads; stored here where there is no Kubernetes. */
  NAMESPACE("Namespace", "namespaces", Form.GLOBAL),
  /**
   * Kubernetes' own NetworkPolicy, stored here where there is no Kubernetes. Calico's has the same
   * name in documents, and the same plural in the API; the version tells them apart.
   */
  KUBERNETES_NETWORK_POLICY(
      "KubernetesNetworkPolicy", "kubernetesnetworkpolicies", Form.NAMESPACED),
  /** Kubernetes' own policy for the whole cluster, of its network policy API. */
  CLUSTER_NETWORK_POLICY("ClusterNetworkPolicy", "clusternetworkpolicies", Form.GLOBAL),
  /** Kubernetes' own: the addresses and ports behind a service. */
  ENDPOINT_SLICE("EndpointSlice", "endpointslices", Form.NAMESPACED),
  IPAM_BLOCK("IPAMBlock", "ipamblocks", Form.IPAM),
  BLOCK_AFFINITY("BlockAffinity", "blockaffinities", Form.IPAM),
  IPAM_HANDLE("IPAMHandle", "ipamhandles", Form.IPAM),
  /** The record that the IPAM library reads. */
  IPAM_CONFIG("IPAMConfig", "ipamconfigs", Form.IPAM),
  IPAM_HOST("IPAMHost", "ipamhosts", Form.IPAM);

  private static final int MISTYPED = 2;

  private enum Form {
    GLOBAL,
    NAMESPACED,
    IPAM
  }

  private final String text;
  private final String plural;
  private final Form form;

  Kind(String text, String plural, Form form) {
    this.text = text;
    this.plural = plural;
    this.form = form;
  }

  /** The name in messages and commands, which no other kind has. */
  public String text() {
    return text;
  }

  /** The name in documents. */
  public String documentKind() {
    return this == KUBERNETES_NETWORK_POLICY ? NETWORK_POLICY.text : text;
  }

  /** The name in keys, and in the URLs of Calico's kinds. */
  public String plural() {
    return plural;
  }

  /** The version in documents. */
  public String apiVersion() {
    return switch (this) {
      case NAMESPACE -> "v1";
      case KUBERNETES_NETWORK_POLICY -> "networking.k8s.io/v1";
      case CLUSTER_NETWORK_POLICY -> "policy.networking.k8s.io/v1alpha2";
      case ENDPOINT_SLICE -> "discovery.k8s.io/v1";
      default -> Resource.API_VERSION;
    };
  }

  /**
   * Whether it is Kubernetes' own kind, which Calico only reads: stored apart from Calico's keys
   * where there is no Kubernetes.
   */
  public boolean isOfKubernetes() {
    return !apiVersion().equals(Resource.API_VERSION);
  }

  /**
   * Finds the kind of a document: by both, or by the first alone when no kind of that name has the
   * version.
   */
  public static Optional<Kind> ofDocument(String documentKind, String apiVersion) {
    List<Kind> named =
        Arrays.stream(values()).filter(k -> k.documentKind().equals(documentKind)).toList();
    return named.stream()
        .filter(k -> k.apiVersion().equals(apiVersion))
        .findFirst()
        .or(() -> named.stream().findFirst());
  }

  public boolean isNamespaced() {
    return form == Form.NAMESPACED;
  }

  /** Whether it is a policy in a tier, enforced or staged. */
  public boolean isTiered() {
    return switch (this) {
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          STAGED_NETWORK_POLICY,
          STAGED_GLOBAL_NETWORK_POLICY ->
          true;
      default -> false;
    };
  }

  /**
   * Whether it is an IPAM record: no kind, metadata or spec, and a key made of addresses and hosts.
   */
  public boolean isIpam() {
    return form == Form.IPAM;
  }

  /** Finds a kind by singular or plural, in any case. */
  public static Optional<Kind> find(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(k -> k.plural.equals(lower) || k.text.toLowerCase(Locale.ROOT).equals(lower))
        .findFirst();
  }

  /**
   * Finds the kind that a misspelt name may have meant: at most two letters differ, and the first
   * is the same.
   */
  public static Optional<Kind> like(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(kind -> !lower.isEmpty() && kind.plural.charAt(0) == lower.charAt(0))
        .filter(kind -> kind.distance(lower) <= MISTYPED)
        .min(Comparator.comparingInt(kind -> kind.distance(lower)));
  }

  private int distance(String lower) {
    return Math.min(
        EditDistance.distance(plural, lower),
        EditDistance.distance(text.toLowerCase(Locale.ROOT), lower));
  }

  /** Finds a kind by its exact plural. */
  public static Optional<Kind> ofPlural(String plural) {
    return Arrays.stream(values()).filter(k -> k.plural.equals(plural)).findFirst();
  }

  @Override
  public String toString() {
    return text;
  }
}
