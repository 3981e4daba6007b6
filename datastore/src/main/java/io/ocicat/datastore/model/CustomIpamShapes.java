package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.text;

import io.ocicat.datastore.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** IPAM's records as the specs of custom resources: their keys are part of them. */
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
        case "deleted" -> members.add(textual ? text("deleted") : member);
        default ->
            members.add(field(RENAMED.getOrDefault(member.name(), member.name()), member.shape()));
      }
    }
    switch (kind) {
      case IPAM_BLOCK -> members.add(flag("strictAffinity"));
      case IPAM_HANDLE -> members.add(text("handleID").require());
      case BLOCK_AFFINITY -> {
        members.add(text("node").require());
        members.add(text("type"));
        members.add(text("cidr").require());
      }
      default -> {}
    }
    return new Shape.Struct(members, (_, _, _) -> {});
  }
}
