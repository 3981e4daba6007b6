package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.datastore.json.Problems;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pools and reservations of addresses. */
final class PoolShapes {
  private static final IpPrefix LINK_LOCAL_V4 = IpPrefix.parse("169.254.0.0/16");
  private static final IpPrefix LINK_LOCAL_V6 = IpPrefix.parse("fe80::/10");
  private static final Shape.Rule TUNNEL = Rules.oneOf("Never", "Always", "CrossSubnet");

  static final Shape.Struct IP_POOL =
      new Shape.Struct(
              text("cidr", Rules.NETWORK).always().require(),
              text("vxlanMode", TUNNEL),
              text("ipipMode", TUNNEL),
              flag("natOutgoing"),
              flag("disabled"),
              flag("disableBGPExport"),
              whole("blockSize", 0, 128),
              text("nodeSelector", Rules.SELECTOR),
              text("namespaceSelector", Rules.SELECTOR),
              texts("allowedUses", Rules.oneOf("Workload", "Tunnel", "LoadBalancer")),
              text("assignmentMode", Rules.oneOf("Automatic", "Manual")).ifPresent())
          .where(PoolShapes::check);

  static final Shape.Struct STATUS =
      new Shape.Struct(field("conditions", new Shape.ListOf(new Shape.Anything())));

  static final Shape.Struct IP_RESERVATION = new Shape.Struct(texts("reservedCIDRs", Rules.CIDR));

  private PoolShapes() {}

  private static void check(ObjectNode spec, String path, Problems problems) {
    IpPrefix cidr = Rules.network(spec.path("cidr").stringValue());
    if (cidr.overlaps(LINK_LOCAL_V4) || cidr.overlaps(LINK_LOCAL_V6)) {
      problems.add(path + ".cidr", cidr + " overlaps the link-local addresses: choose another");
    }
    checkBlockSize(spec, cidr, path, problems);
    boolean ipip = isOn(spec, "ipipMode");
    boolean vxlan = isOn(spec, "vxlanMode");
    if (ipip && cidr.isV6()) {
      problems.add(path + ".ipipMode", "must be Never for an IPv6 pool");
    }
    if (ipip && vxlan) {
      problems.add(path + ".vxlanMode", "and ipipMode cannot both be on: set one to Never");
    }
    for (String selector : List.of("nodeSelector", "namespaceSelector")) {
      if (spec.path(selector).asString("").contains("global(")) {
        problems.add(path + "." + selector, "must not use global()");
      }
    }
    List<String> uses =
        StreamSupport.stream(spec.path("allowedUses").values().spliterator(), false)
            .map(JsonNode::stringValue)
            .toList();
    if (uses.contains("Tunnel") && !spec.path("namespaceSelector").asString("").isEmpty()) {
      problems.add(
          path + ".namespaceSelector", "cannot be used by a pool whose allowedUses have Tunnel");
    }
    if (uses.contains("LoadBalancer")) {
      checkLoadBalancer(spec, uses, ipip || vxlan, path, problems);
    }
  }

  private static void checkBlockSize(
      ObjectNode spec, IpPrefix cidr, String path, Problems problems) {
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

  private static void checkLoadBalancer(
      ObjectNode spec, List<String> uses, boolean tunnelled, String path, Problems problems) {
    if (uses.size() > 1) {
      problems.add(path + ".allowedUses", "cannot combine LoadBalancer with other uses");
    }
    if (tunnelled) {
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
