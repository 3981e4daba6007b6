package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.whole;
import static io.ocicat.datastore.model.Shape.wholeNumber;

/** The shapes of IPAM's records in etcd: no kind, no metadata. */
final class IpamShapes {
  private static final Shape.MapOf NUMBERS =
      new Shape.MapOf(_ -> null, wholeNumber(0, Long.MAX_VALUE));

  private static final Shape.Struct ATTRIBUTE =
      new Shape.Struct(
          text("handle_id", "The handle of the addresses.").ifPresent(),
          field("secondary", "Attributes of the owner.", ValueRules.TEXTS),
          field("alternateOwnerAttrs", "Attributes of the alternate owner.", ValueRules.TEXTS),
          text("releasedAt", "When the addresses were released.").ifPresent());

  static final Shape.Struct BLOCK =
      new Shape.Struct(
          text("cidr", "The block.").is(ValueRules.NETWORK).always().require(),
          text("affinity", "The owner of the block, as in host:node-1.").orNull(),
          text("affinity_claim_time", "When the block was claimed.").ifPresent(),
          field(
                  "allocations",
                  "For each address, the index of its attributes.",
                  new Shape.ListOf(new Shape.Leaf(Shape.Type.WHOLE_OR_NULL)))
              .always(),
          field("unallocated", "Free addresses.", new Shape.ListOf(wholeNumber(0, 1 << 20)))
              .always(),
          structs("attributes", "The owners of addresses.", ATTRIBUTE).always(),
          whole("sequenceNumber", "How often it was changed.", 0, Long.MAX_VALUE).always(),
          // Its keys are numbers as text, which Go sorts as text.
          field(
                  "sequenceNumberForAllocation",
                  "The sequence numbers at which addresses were assigned.",
                  NUMBERS)
              .always(),
          flag("deleted", "Whether it is marked as deleted.").always(),
          text("hostAffinity", "The owner of the block, in old versions.").ifPresent());

  static final Shape.Struct AFFINITY =
      new Shape.Struct(
          text("state", "The state of the claim.")
              .in("", "pending", "confirmed", "pendingDeletion")
              .always(),
          flag("deleted", "Whether it is marked as deleted.").always());

  static final Shape.Struct HANDLE =
      new Shape.Struct(
          field("block", "How many addresses of which block.", NUMBERS).always(),
          flag("deleted", "Whether it is marked as deleted.").always());

  static final Shape.Struct CONFIG =
      new Shape.Struct(
          flag("strict_affinity", "Whether nodes use only addresses of their own blocks."),
          flag("auto_allocate_blocks", "Whether nodes claim blocks when they need them."),
          whole("maxBlocksPerHost", "How many blocks a node may have.", 0, Integer.MAX_VALUE),
          text("kubeVirtVMAddressPersistence", "Whether virtual machines keep addresses.")
              .in("Enabled", "Disabled")
              .ifPresent(),
          whole("ipCooldownSeconds", "How long released addresses are kept back.", 0, 1200));

  static final Shape.Struct HOST = new Shape.Struct();

  private IpamShapes() {}
}
