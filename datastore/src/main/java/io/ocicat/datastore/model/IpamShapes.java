package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.whole;
import static io.ocicat.datastore.model.Shape.wholeNumber;

/** IPAM's records as etcd holds them: no kind, no metadata. */
final class IpamShapes {
  private static final Shape.MapOf NUMBERS =
      new Shape.MapOf(_ -> null, wholeNumber(0, Long.MAX_VALUE));

  private static final Shape.Struct ATTRIBUTE =
      new Shape.Struct(
          text("handle_id").ifPresent(),
          field("secondary", Rules.TEXTS),
          field("alternateOwnerAttrs", Rules.TEXTS),
          field("releasedAt", new Shape.Anything()).ifPresent());

  static final Shape.Struct BLOCK =
      new Shape.Struct(
          text("cidr", Rules.NETWORK).always().require(),
          field("affinity", new Shape.Anything()).always(),
          field("affinity_claim_time", new Shape.Anything()).ifPresent(),
          field("allocations", new Shape.ListOf(new Shape.Anything())).always(),
          field("unallocated", new Shape.ListOf(wholeNumber(0, 1 << 20))).always(),
          structs("attributes", ATTRIBUTE).always(),
          field("sequenceNumber", wholeNumber(0, Long.MAX_VALUE)).always(),
          // Its keys are numbers as text, which Go sorts as text.
          field("sequenceNumberForAllocation", NUMBERS).always(),
          flag("deleted").always(),
          field("hostAffinity", new Shape.Anything()).ifPresent());

  static final Shape.Struct AFFINITY =
      new Shape.Struct(
          text("state", Rules.oneOf("pending", "confirmed", "pendingDeletion")).always(),
          flag("deleted").always());

  static final Shape.Struct HANDLE =
      new Shape.Struct(field("block", NUMBERS).always(), flag("deleted").always());

  static final Shape.Struct CONFIG =
      new Shape.Struct(
          flag("strict_affinity"),
          flag("auto_allocate_blocks"),
          whole("maxBlocksPerHost", 0, Integer.MAX_VALUE),
          text("kubeVirtVMAddressPersistence", Rules.oneOf("Enabled", "Disabled")).ifPresent(),
          whole("ipCooldownSeconds", 0, 1200));

  static final Shape.Struct HOST = new Shape.Struct();

  private IpamShapes() {}
}
