package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;

import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Resource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** The shape of each kind. */
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
   * The tree as Calico would write it, members that it does not know behind those it does. The tree
   * given is not changed.
   */
  public static ObjectNode canonical(Kind kind, ObjectNode content) {
    return CanonicalForm.of(of(kind), content);
  }

  /** The paths of members that the kind does not have, for those who take them for mistakes. */
  public static List<String> unknownMembers(Resource resource) {
    return resource.read(content -> ShapeCheck.unknown(of(resource.kind()), content, ""));
  }

  private static Shape.Struct describe(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT -> MetadataShape.document(EndpointShapes.WORKLOAD);
      case HOST_ENDPOINT -> MetadataShape.document(EndpointShapes.HOST);
      case PROFILE -> MetadataShape.document(PolicyShapes.PROFILE);
      case NETWORK_POLICY -> MetadataShape.document(PolicyShapes.NETWORK_POLICY);
      case GLOBAL_NETWORK_POLICY -> MetadataShape.document(PolicyShapes.GLOBAL_NETWORK_POLICY);
      case NETWORK_SET, GLOBAL_NETWORK_SET -> MetadataShape.document(PolicyShapes.NETWORK_SET);
      case TIER ->
          MetadataShape.document(
              field("spec", PolicyShapes.TIER_SPEC).always(),
              field("status", PoolShapes.STATUS).always());
      case IP_POOL ->
          MetadataShape.document(
              field("spec", PoolShapes.IP_POOL).always(),
              field("status", PoolShapes.STATUS).ifPresent());
      case IP_RESERVATION -> MetadataShape.document(PoolShapes.IP_RESERVATION);
      case NODE ->
          MetadataShape.document(
              field("spec", NodeShapes.NODE).always(), field("status", NodeShapes.STATUS).always());
      case CLUSTER_INFORMATION -> MetadataShape.document(NodeShapes.CLUSTER);
      case IPAM_CONFIGURATION -> MetadataShape.document(NodeShapes.IPAM_CONFIGURATION);
      case BGP_CONFIGURATION -> MetadataShape.document(ConfigurationShapes.BGP);
      case FELIX_CONFIGURATION -> MetadataShape.document(ConfigurationShapes.FELIX);
      // Stored and shown as they are; nothing here works with them.
      case BGP_PEER, BGP_FILTER, KUBE_CONTROLLERS_CONFIGURATION ->
          MetadataShape.document(field("spec", new Shape.Anything()).always());
      case IPAM_BLOCK -> IpamShapes.BLOCK;
      case BLOCK_AFFINITY -> IpamShapes.AFFINITY;
      case IPAM_HANDLE -> IpamShapes.HANDLE;
      case IPAM_CONFIG -> IpamShapes.CONFIG;
      case IPAM_HOST -> IpamShapes.HOST;
    };
  }
}
