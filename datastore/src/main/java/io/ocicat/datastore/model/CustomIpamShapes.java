package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.text;

import io.ocicat.datastore.resource.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The shapes of IPAM's records as custom resources, whose specs contain the keys. */
final class CustomIpamShapes {
  private static final Map<String, String> RENAMED =
      Map.of(
          "affinity_claim_time", "affinityClaimTime",
          "strict_affinity", "strictAffinity",
          "auto_allocate_blocks", "autoAllocateBlocks");

  private CustomIpamShapes() {}

  static Shape.Struct of(Kind kind, ApiGroup group) {
    List<Shape.Member> members = new ArrayList<>();
    for (Shape.Member member : Shapes.of(kind).members()) {
      boolean textual = kind == Kind.BLOCK_AFFINITY && group == ApiGroup.V1;
      switch (member.name()) {
        case "hostAffinity" -> {}
        case "deleted" -> members.add(textual ? text("deleted", member.description()) : member);
        default -> members.add(renamed(member));
      }
    }
    switch (kind) {
      case IPAM_BLOCK -> members.add(flag("strictAffinity", "Not used."));
      case IPAM_HANDLE -> members.add(text("handleID", "The handle.").require());
      case BLOCK_AFFINITY -> {
        members.add(text("node", "The owner of the block.").require());
        members.add(text("type", "The type of the owner."));
        members.add(text("cidr", "The block.").require());
      }
      default -> {}
    }
    return new Shape.Struct(members, List.of());
  }

  private static Shape.Member renamed(Shape.Member member) {
    Shape.Member custom =
        field(
            RENAMED.getOrDefault(member.name(), member.name()),
            member.description(),
            member.shape());
    return member.presence() == Shape.Presence.OR_NULL ? custom.orNull() : custom;
  }
}
