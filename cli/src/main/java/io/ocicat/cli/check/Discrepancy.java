package io.ocicat.cli.check;

import io.ocicat.base.json.Json;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/**
 * A difference between what is and what should be: an attachment and what its ADD made, or the path
 * to another node.
 *
 * @param object what was checked
 * @param actual how it is
 * @param expected how it should be; empty when {@code actual} says it all
 * @param advice what to do about it
 */
public record Discrepancy(Kind kind, String object, String actual, String expected, String advice) {

  /** What it concerns, in the order in which packets meet it. */
  public enum Kind {
    NETNS,
    INTERFACE,
    INTERFACE_DOWN,
    MAC,
    MTU,
    ADDRESS,
    DUPLICATE_ADDRESS,
    CONTAINER_ROUTE,
    HOST_END,
    BRIDGE,
    HOST_ROUTE,
    FORWARDING,
    NEIGHBOUR,
    DEFAULT_ROUTE,
    /** The route to another node, or to its pods. */
    REMOTE_ROUTE,
    /** The session by which BIRD learns another node's routes. */
    BGP_SESSION,
    /** The subnet that flannel has leased to a node. */
    FLANNEL_LEASE,
    /** Where a VXLAN sends the frames for another node. */
    FDB,
    /** Network policy, which may be as it should be. */
    POLICY,
    /** Rules that are not ours. */
    FIREWALL,
    MASQUERADE,
    PORT_MAP,
    LEASE,
    /** What a plugin's own CHECK finds in addition. */
    PLUGIN,
    /** It could not be checked, so its state is unknown. */
    UNKNOWN;

    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** In one line, without the advice. */
  public String sentence() {
    return "%s: %s%s".formatted(object, actual, expected.isEmpty() ? "" : ", not " + expected);
  }

  public ObjectNode toJson() {
    return Json.object()
        .put("kind", kind.label())
        .put("object", object)
        .put("actual", actual)
        .put("expected", expected)
        .put("advice", advice);
  }
}
