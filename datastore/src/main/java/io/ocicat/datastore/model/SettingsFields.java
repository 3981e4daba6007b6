package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

/**
 * The schemas of the small kinds: ClusterInformation, IPAMConfiguration, IPReservation, NetworkSet,
 * Namespace.
 */
final class SettingsFields {
  static final Shape.Struct CLUSTER_INFORMATION =
      new Shape.Struct(
          text("clusterGUID", "The cluster's identity."),
          text("clusterType", "What runs the cluster."),
          text("calicoVersion", "The version of Calico."),
          flag("datastoreReady", "Whether the datastore may be used.").ifPresent(),
          text("variant", "The edition of Calico."));

  static final Shape.Struct IPAM_CONFIGURATION =
      new Shape.Struct(
          flag("strictAffinity", "Whether nodes use only addresses of their own blocks.").always(),
          whole("maxBlocksPerHost", "How many blocks a node may have; 0 for any.", 0, 1_000_000),
          flag("autoAllocateBlocks", "Whether nodes claim blocks when they need them.").always(),
          text("kubeVirtVMAddressPersistence", "Whether virtual machines keep addresses.")
              .in("Enabled", "Disabled")
              .ifPresent(),
          whole("ipCooldownSeconds", "How long released addresses are kept back.", 0, 1200));

  static final Shape.Struct IP_RESERVATION =
      new Shape.Struct(
          texts("reservedCIDRs", "Addresses that are never assigned automatically.")
              .distinct()
              .is(ValueRules.CIDR_WITH_LENGTH));

  static final Shape.Struct NETWORK_SET =
      new Shape.Struct(texts("nets", "The networks.").distinct().is(ValueRules.CIDR));

  /** What matters are its labels and annotations. */
  static final Shape.Struct NAMESPACE =
      MetadataShape.document(
          field(
                  "spec",
                  "What Kubernetes has to finish before it is deleted.",
                  new Shape.Struct(texts("finalizers", "Finalizers that block the deletion.")))
              .always(),
          field(
                  "status",
                  "Whether it is in use.",
                  new Shape.Struct(text("phase", "Active or Terminating.")))
              .always());

  private SettingsFields() {}
}
