package io.ocicat.datastore.model;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpPrefix;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A typed view of an IPPool.
 *
 * @param enabled whether new addresses may be assigned from it: it is not disabled, not being
 *     deleted, and not declared non-allocatable
 * @param nodeSelector which nodes may use it
 * @param namespaceSelector which namespaces may use it
 * @param automatic whether requests that name no pool use it
 */
public record IpPool(
    String name,
    IpPrefix cidr,
    int blockSize,
    boolean enabled,
    boolean natOutgoing,
    boolean disableBgpExport,
    Tunnel ipip,
    Tunnel vxlan,
    Selector nodeSelector,
    Selector namespaceSelector,
    Set<Use> uses,
    boolean automatic) {

  /** On a pool that is being split: into how many parts, and whether it was disabled before. */
  public static final String SPLIT_ANNOTATION = "ocicat.io/split";

  /** When packets between nodes are encapsulated. */
  public enum Tunnel {
    NEVER("Never"),
    ALWAYS("Always"),
    CROSS_SUBNET("CrossSubnet");

    private final String text;

    Tunnel(String text) {
      this.text = text;
    }

    static Tunnel of(String text) {
      for (Tunnel mode : values()) {
        if (mode.text.equals(text)) {
          return mode;
        }
      }
      throw new IllegalArgumentException("%s is not a tunnel mode".formatted(text));
    }
  }

  /** The allowed uses of addresses. */
  public enum Use {
    WORKLOAD("Workload"),
    TUNNEL("Tunnel"),
    LOAD_BALANCER("LoadBalancer");

    private final String text;

    Use(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public IpPool {
    uses = Set.copyOf(uses);
  }

  public static IpPool of(Resource resource) {
    Resource pool = ResourceAdmission.asRead(resource);
    try {
      return pool.read(document -> read(pool.key().name(), document));
    } catch (IllegalArgumentException e) {
      throw new CorruptException(
          "%s cannot be used: %s: correct it".formatted(pool.describe(), e.getMessage()), e);
    }
  }

  private static IpPool read(String name, ObjectNode document) {
    JsonNode spec = document.path("spec");
    Set<Use> uses = EnumSet.noneOf(Use.class);
    for (JsonNode use : spec.path("allowedUses").values()) {
      for (Use known : Use.values()) {
        if (known.text.equals(use.asString(""))) {
          uses.add(known);
        }
      }
    }
    return new IpPool(
        name,
        ValueRules.cidr(spec.path("cidr").asString("")).network(),
        spec.path("blockSize").asInt(0),
        isEnabled(document),
        spec.path("natOutgoing").asBoolean(false),
        spec.path("disableBGPExport").asBoolean(false),
        Tunnel.of(spec.path("ipipMode").asString("")),
        Tunnel.of(spec.path("vxlanMode").asString("")),
        Selector.parse(spec.path("nodeSelector").asString("")),
        Selector.parse(spec.path("namespaceSelector").asString("")),
        uses,
        !spec.path("assignmentMode").asString("").equals("Manual"));
  }

  private static boolean isEnabled(ObjectNode document) {
    boolean allocatable =
        document
            .at("/status/conditions")
            .valueStream()
            .noneMatch(
                condition ->
                    condition.path("type").asString("").equals("Allocatable")
                        && condition.path("status").asString("").equals("False"));
    return allocatable
        && document.at("/metadata/deletionTimestamp").asString("").isEmpty()
        && !document.at("/spec/disabled").asBoolean(false);
  }

  public IpVersion version() {
    return IpVersion.of(cidr);
  }

  public boolean allows(Use use) {
    return uses.contains(use);
  }
}
