package io.ocicat.datastore.model;

import io.ocicat.base.json.Problems;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** Looks up the shape of each kind. */
public final class Shapes {
  private static final Map<Kind, Shape.Struct> SHAPES = new EnumMap<>(Kind.class);

  static {
    for (Kind kind : Kind.values()) {
      SHAPES.put(kind, describe(kind));
    }
  }

  private Shapes() {}

  static Shape.Struct of(Kind kind) {
    return SHAPES.getOrDefault(kind, new Shape.Struct());
  }

  /**
   * Returns the tree as Calico would write it, unknown members last. Does not change the given
   * tree.
   */
  public static ObjectNode canonical(Kind kind, ObjectNode content) {
    return CanonicalForm.of(of(kind), content);
  }

  /**
   * Reads a document as Kubernetes' tools do: a number or boolean where text is expected becomes
   * text, such as {@code 5} or {@code true} in a label. Does not change the given tree.
   */
  public static ObjectNode asRead(Kind kind, ObjectNode document) {
    ObjectNode copy = document.deepCopy();
    TextOfScalars.apply(of(kind), copy);
    return copy;
  }

  /** Returns the paths of unknown members, for callers that treat them as mistakes. */
  public static List<String> unknownMembers(Resource resource) {
    return resource.read(content -> ShapeCheck.unknown(of(resource.kind()), content, ""));
  }

  /**
   * Returns the names of the members that the spec of a kind has, in the order they are written.
   */
  public static List<String> specMembers(Kind kind) {
    return of(kind).members().stream()
        .filter(member -> member.name().equals("spec"))
        .map(Shape.Member::shape)
        .flatMap(
            shape -> shape instanceof Shape.Struct spec ? spec.members().stream() : Stream.of())
        .map(Shape.Member::name)
        .toList();
  }

  private static void noNamespaceLabel(ObjectNode set, String path, Problems problems) {
    if (set.path("metadata").path("labels").has(Defaults.LABEL_NAMESPACE)) {
      problems.add("metadata.labels", "must not have " + Defaults.LABEL_NAMESPACE);
    }
  }

  private static Shape.Struct describe(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT ->
          MetadataShape.document("The interface of a container.", WorkloadEndpointFields.SPEC);
      case HOST_ENDPOINT ->
          MetadataShape.document("An interface of a node.", HostEndpointFields.SPEC);
      case PROFILE -> MetadataShape.document("Rules after the policies.", PolicyFields.PROFILE);
      case NETWORK_POLICY ->
          MetadataShape.document("Rules for endpoints.", PolicyFields.NETWORK_POLICY);
      case GLOBAL_NETWORK_POLICY ->
          MetadataShape.document("Rules for endpoints.", PolicyFields.GLOBAL_NETWORK_POLICY);
      case STAGED_NETWORK_POLICY ->
          MetadataShape.document("A staged policy.", PolicyFields.STAGED_NETWORK_POLICY);
      case STAGED_GLOBAL_NETWORK_POLICY ->
          MetadataShape.document("A staged policy.", PolicyFields.STAGED_GLOBAL_NETWORK_POLICY);
      case STAGED_KUBERNETES_NETWORK_POLICY ->
          MetadataShape.document("A staged policy.", StagedKubernetesPolicyFields.SPEC);
      case NETWORK_SET, GLOBAL_NETWORK_SET ->
          MetadataShape.document("Networks with labels.", SettingsFields.NETWORK_SET)
              .where("The namespace is no label.", Shapes::noNamespaceLabel);
      case TIER -> TierFields.DOCUMENT;
      case IP_POOL -> IpPoolFields.DOCUMENT;
      case IP_RESERVATION ->
          MetadataShape.document(
              "Addresses that are never assigned automatically.", SettingsFields.IP_RESERVATION);
      case NODE -> NodeFields.DOCUMENT;
      case CALICO_NODE_STATUS -> NodeStatusFields.DOCUMENT;
      case CLUSTER_INFORMATION ->
          MetadataShape.document("The cluster.", SettingsFields.CLUSTER_INFORMATION);
      case IPAM_CONFIGURATION ->
          MetadataShape.document("The settings of IPAM.", SettingsFields.IPAM_CONFIGURATION);
      case BGP_CONFIGURATION -> BgpConfigurationFields.DOCUMENT;
      case BGP_PEER -> MetadataShape.document("A BGP peer of nodes.", BgpPeerFields.SPEC);
      case BGP_FILTER -> MetadataShape.document("Rules for routes.", BgpFilterFields.SPEC);
      case FELIX_CONFIGURATION -> FelixConfigurationFields.DOCUMENT;
      case KUBE_CONTROLLERS_CONFIGURATION -> KubeControllersFields.DOCUMENT;
      case NAMESPACE -> SettingsFields.NAMESPACE;
      case KUBERNETES_NETWORK_POLICY -> KubernetesPolicyFields.DOCUMENT;
      case CLUSTER_NETWORK_POLICY -> ClusterPolicyFields.DOCUMENT;
      case ENDPOINT_SLICE -> EndpointSliceFields.DOCUMENT;
      case IPAM_BLOCK -> IpamShapes.BLOCK;
      case BLOCK_AFFINITY -> IpamShapes.AFFINITY;
      case IPAM_HANDLE -> IpamShapes.HANDLE;
      case IPAM_CONFIG -> IpamShapes.CONFIG;
      case IPAM_HOST -> IpamShapes.HOST;
    };
  }
}
