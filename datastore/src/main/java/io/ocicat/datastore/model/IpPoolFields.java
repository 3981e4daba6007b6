package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schema of IPPool: addresses for workloads. */
final class IpPoolFields {
  private static final IpPrefix LINK_LOCAL_V4 = IpPrefix.parse("169.254.0.0/16");
  private static final IpPrefix LINK_LOCAL_V6 = IpPrefix.parse("fe80::/10");

  private static final Shape.Struct SPEC =
      new Shape.Struct(
              text("cidr", "The addresses.").max(48).is(ValueRules.NETWORK).always().require(),
              text("vxlanMode", "When packets between nodes are encapsulated in VXLAN.")
                  .in("Never", "Always", "CrossSubnet"),
              text("ipipMode", "When packets between nodes are encapsulated in IPIP.")
                  .in("Never", "Always", "CrossSubnet"),
              flag("natOutgoing", "Whether packets that leave the pools are masqueraded."),
              flag("disabled", "Whether no more addresses are assigned."),
              flag("disableBGPExport", "Whether the pool is not advertised by BGP."),
              whole("blockSize", "The prefix length of blocks.", 0, 128),
              text("nodeSelector", "The nodes that may use the pool.")
                  .max(1024)
                  .is(ValueRules.SELECTOR)
                  .initially("all()"),
              text("namespaceSelector", "The namespaces whose pods get addresses.")
                  .max(1024)
                  .is(ValueRules.SELECTOR),
              texts("allowedUses", "What addresses may be used for.")
                  .items(0, 10)
                  .distinct()
                  .in("Workload", "Tunnel", "LoadBalancer"),
              text("assignmentMode", "Whether requests that name no pool use it.")
                  .in("Automatic", "Manual")
                  .initially("Automatic")
                  .ifPresent())
          .where(FieldRule.noGlobal("nodeSelector"), FieldRule.noGlobal("namespaceSelector"))
          .where(
              "No link-local addresses.",
              // A network that contains them is found on write.
              "!self.cidr.matches('^(169[.]254[.]|[fF][eE][89abAB][0-9a-fA-F]:)')",
              IpPoolFields::notLinkLocal)
          .where(
              "The block size fits the pool.",
              """
              !{blockSize} || !self.cidr.matches('^[0-9a-fA-F.:]+/[0-9]+$') || \
              (self.cidr.contains(':') ? self.blockSize >= 116 && self.blockSize <= 128 \
              : self.blockSize >= 20 && self.blockSize <= 32) && \
              ({disabled} || int(self.cidr.split('/')[1]) <= self.blockSize)""",
              IpPoolFields::blockSize)
          .where(
              "One encapsulation, and no IPIP with IPv6.",
              """
              !{ipipMode} || self.ipipMode == 'Never' || \
              !self.cidr.contains(':') && (!{vxlanMode} || self.vxlanMode == 'Never')""",
              IpPoolFields::encapsulation)
          .where(
              "Tunnel excludes namespaceSelector.",
              "!({allowedUses} && 'Tunnel' in self.allowedUses && {namespaceSelector})",
              IpPoolFields::tunnel)
          .where(
              "LoadBalancer excludes all else.",
              """
              !{allowedUses} || !('LoadBalancer' in self.allowedUses) || \
              size(self.allowedUses) == 1 && !{disableBGPExport} \
              && (!{ipipMode} || self.ipipMode == 'Never') && (!{vxlanMode} || self.vxlanMode == 'Never') \
              && (!{nodeSelector} || self.nodeSelector == 'all()')""",
              IpPoolFields::loadBalancer);

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
          field("spec", "Addresses to assign.", SPEC).always(),
          field("status", "The status of the pool.", MetadataShape.CONDITIONS).ifPresent());

  private IpPoolFields() {}

  private static IpPrefix cidr(ObjectNode spec) {
    return ValueRules.network(spec.path("cidr").stringValue());
  }

  private static void notLinkLocal(ObjectNode spec, String path, Problems problems) {
    IpPrefix cidr = cidr(spec);
    if (cidr.overlaps(LINK_LOCAL_V4) || cidr.overlaps(LINK_LOCAL_V6)) {
      problems.add(path + ".cidr", cidr + " overlaps the link-local addresses: choose another");
    }
  }

  private static void blockSize(ObjectNode spec, String path, Problems problems) {
    IpPrefix cidr = cidr(spec);
    int size = spec.path("blockSize").asInt(0);
    int min = cidr.isV4() ? 20 : 116;
    int max = cidr.isV4() ? 32 : 128;
    if (size < min || size > max) {
      problems.add(path + ".blockSize", "must be %d–%d, not %d".formatted(min, max, size));
    } else if (cidr.length() > size && !spec.path("disabled").asBoolean(false)) {
      problems.add(
          path + ".cidr",
          "%s is smaller than a block (/%d): set blockSize to at least %d"
              .formatted(cidr, size, cidr.length()));
    }
  }

  private static void encapsulation(ObjectNode spec, String path, Problems problems) {
    boolean ipip = isOn(spec, "ipipMode");
    if (ipip && cidr(spec).isV6()) {
      problems.add(path + ".ipipMode", "must be Never for an IPv6 pool");
    }
    if (ipip && isOn(spec, "vxlanMode")) {
      problems.add(path + ".vxlanMode", "and ipipMode cannot both be on: set one to Never");
    }
  }

  private static List<String> uses(ObjectNode spec) {
    return spec.path("allowedUses").valueStream().map(JsonNode::stringValue).toList();
  }

  private static void tunnel(ObjectNode spec, String path, Problems problems) {
    if (uses(spec).contains("Tunnel") && FieldRule.isSet(spec, "namespaceSelector")) {
      problems.add(
          path + ".namespaceSelector", "cannot be used by a pool whose allowedUses have Tunnel");
    }
  }

  private static void loadBalancer(ObjectNode spec, String path, Problems problems) {
    List<String> uses = uses(spec);
    if (!uses.contains("LoadBalancer")) {
      return;
    }
    if (uses.size() > 1) {
      problems.add(path + ".allowedUses", "cannot combine LoadBalancer with other uses");
    }
    if (isOn(spec, "ipipMode") || isOn(spec, "vxlanMode")) {
      problems.add(path + ".allowedUses", "cannot have LoadBalancer in a pool with IPIP or VXLAN");
    }
    if (!spec.path("nodeSelector").asString("").equals("all()")) {
      problems.add(path + ".nodeSelector", "must be all() for a LoadBalancer pool");
    }
    if (spec.path("disableBGPExport").asBoolean(false)) {
      problems.add(path + ".disableBGPExport", "must be false for a LoadBalancer pool");
    }
  }

  private static boolean isOn(ObjectNode spec, String mode) {
    String value = spec.path(mode).asString("");
    return !value.isEmpty() && !value.equals("Never");
  }
}
