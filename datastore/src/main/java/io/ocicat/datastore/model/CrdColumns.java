package io.ocicat.datastore.model;

import io.ocicat.datastore.resource.Kind;
import java.util.List;

/**
 * The columns that {@code kubectl get} shows for a kind, and its short names.
 *
 * @param shortNames other names of the kind
 * @param columns after the name
 */
record CrdColumns(List<String> shortNames, List<Column> columns) {

  /** A column with its OpenAPI type and the path of its value. */
  record Column(String name, String type, String path) {}

  private static final Column AGE = new Column("Age", "date", ".metadata.creationTimestamp");
  private static final List<Column> POLICY =
      List.of(text("Tier", "tier"), new Column("Order", "number", ".spec.order"));

  CrdColumns {
    shortNames = List.copyOf(shortNames);
    columns = List.copyOf(columns);
  }

  private CrdColumns(Column... columns) {
    this(List.of(), List.of(columns));
  }

  static CrdColumns of(Kind kind) {
    return switch (kind) {
      case BGP_CONFIGURATION -> named("bgpconfig", "bgpconfigs");
      case BGP_PEER ->
          new CrdColumns(
              text("Node Selector", "nodeSelector"),
              text("Node", "node"),
              whole("Local ASN", "localASNumber"),
              text("Peer Selector", "peerSelector"),
              text("Peer IP", "peerIP"),
              whole("Peer ASN", "asNumber"));
      case BLOCK_AFFINITY ->
          named("affinity", "affinities")
              .with(text("CIDR", "cidr"), text("Node", "node"), text("Type", "type"));
      case CALICO_NODE_STATUS -> new CrdColumns(text("Node", "node"), text("Classes", "classes"));
      case CLUSTER_INFORMATION ->
          named("clusterinfo", "clusterinfos")
              .with(
                  text("Version", "calicoVersion"),
                  flag("Ready", "datastoreReady"),
                  text("Types", "clusterType"));
      case GLOBAL_NETWORK_POLICY -> named("gnp", "cgnp").with(POLICY.get(0), POLICY.get(1), AGE);
      case NETWORK_POLICY -> new CrdColumns(List.of("cnp", "caliconetworkpolicy"), POLICY);
      case STAGED_GLOBAL_NETWORK_POLICY -> new CrdColumns(List.of("sgnp"), POLICY);
      case STAGED_NETWORK_POLICY -> new CrdColumns(List.of("scnp", "snp"), POLICY);
      case STAGED_KUBERNETES_NETWORK_POLICY -> named("sknp");
      case GLOBAL_NETWORK_SET -> named("gns").with(AGE);
      case HOST_ENDPOINT ->
          named("hep", "heps").with(text("Node", "node"), text("Interface", "interfaceName"));
      case IPAM_BLOCK ->
          new CrdColumns(
              text("CIDR", "cidr"),
              text("Affinity", "affinity"),
              new Column("ClaimTime", "date", ".spec.affinityClaimTime"));
      case IPAM_CONFIG, IPAM_CONFIGURATION ->
          named("ipamconfig", "ipamconfigs")
              .with(
                  flag("StrictAffinity", "strictAffinity"),
                  whole("MaxBlocksPerHost", "maxBlocksPerHost"),
                  flag("AutoAllocateBlocks", "autoAllocateBlocks"));
      case IPAM_HANDLE -> new CrdColumns(text("ID", "handleID"));
      case IP_POOL ->
          new CrdColumns(
              text("CIDR", "cidr"),
              text("VXLAN", "vxlanMode"),
              text("IPIP", "ipipMode"),
              flag("NAT", "natOutgoing"),
              condition("Allocatable", "Allocatable", "status"),
              AGE);
      case KUBE_CONTROLLERS_CONFIGURATION -> named("kcc", "kccs");
      case TIER ->
          new CrdColumns(
              new Column("Order", "number", ".spec.order"),
              text("DefaultAction", "defaultAction"),
              condition("Status", "Ready", "reason"));
      case WORKLOAD_ENDPOINT,
          NAMESPACE,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY,
          ENDPOINT_SLICE,
          PROFILE,
          IP_RESERVATION,
          NODE,
          NETWORK_SET,
          BGP_FILTER,
          FELIX_CONFIGURATION,
          IPAM_HOST ->
          named();
    };
  }

  private static CrdColumns named(String... shortNames) {
    return new CrdColumns(List.of(shortNames), List.of());
  }

  private CrdColumns with(Column... shown) {
    return new CrdColumns(shortNames, List.of(shown));
  }

  private static Column text(String name, String field) {
    return new Column(name, "string", ".spec." + field);
  }

  private static Column whole(String name, String field) {
    return new Column(name, "integer", ".spec." + field);
  }

  private static Column flag(String name, String field) {
    return new Column(name, "boolean", ".spec." + field);
  }

  private static Column condition(String name, String type, String field) {
    return new Column(
        name, "string", ".status.conditions[?(@.type=='%s')].%s".formatted(type, field));
  }
}
