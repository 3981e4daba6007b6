package io.ocicat.plugins.bridge;

import io.ocicat.base.json.JsonFields;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.BridgeVlan;
import io.ocicat.netlink.link.BridgeVlans;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The VLANs of a bridge port.
 *
 * @param access the VLAN of untagged frames; 0 for none
 * @param trunk the VLANs that pass tagged; null when not configured, because even an empty list
 *     turns VLAN filtering on
 * @param keepDefault whether the port keeps the VLAN that the bridge gives every port
 */
record PortVlans(int access, @Nullable NavigableSet<Integer> trunk, boolean keepDefault) {
  private static final int LAST_ID = 4094;

  /** The default VLAN of a Linux bridge port, used for a trunk's untagged frames. */
  private static final int NATIVE = 1;

  static PortVlans read(JsonFields in) {
    int access = in.integer("vlan", Integer.MIN_VALUE, Integer.MAX_VALUE).or(0);
    if (access < 0 || access > LAST_ID) {
      in.problem(
          "vlan",
          "holds an invalid VLAN ID %d (must be between 0 and %d)".formatted(access, LAST_ID));
    }
    return new PortVlans(access, trunk(in), in.bool("preserveDefaultVlan").or(false));
  }

  private static @Nullable NavigableSet<Integer> trunk(JsonFields in) {
    if (!in.has("vlanTrunk")) {
      return null;
    }
    NavigableSet<Integer> ids = new TreeSet<>();
    for (JsonFields entry : in.objects("vlanTrunk")) {
      addRange(entry, ids);
      Integer id = id(entry, "id");
      if (id != null) {
        ids.add(id);
      }
    }
    return ids;
  }

  private static void addRange(JsonFields entry, NavigableSet<Integer> ids) {
    Integer first = id(entry, "minID");
    Integer last = id(entry, "maxID");
    if (entry.has("minID") != entry.has("maxID")) {
      String missing = entry.has("minID") ? "maxID" : "minID";
      entry.problem(
          missing,
          "is missing: minID and maxID should be configured simultaneously, %s is missing"
              .formatted(missing));
    } else if (first != null && last != null) {
      if (last < first) {
        entry.problem(
            "minID", "is wrong: minID is greater than maxID (%d-%d)".formatted(first, last));
      }
      for (int id = first; id <= last; id++) {
        ids.add(id);
      }
    }
  }

  /** The value, or null when it is absent or invalid. */
  private static @Nullable Integer id(JsonFields entry, String name) {
    Integer id = entry.integer(name, Integer.MIN_VALUE, Integer.MAX_VALUE).orNull();
    if (id != null && (id < 1 || id > LAST_ID)) {
      entry.problem(
          name,
          "holds an incorrect trunk %s parameter: %d is not in 1–%d".formatted(name, id, LAST_ID));
      return null;
    }
    return id;
  }

  /** Whether the bridge must filter VLANs. */
  boolean needFiltering() {
    return access != 0 || trunk != null;
  }

  /** Whether any VLAN is to be added to a port. */
  boolean isEmpty() {
    return access == 0 && (trunk == null || trunk.isEmpty());
  }

  /** The VLANs that a port must end up with, apart from its default VLAN. */
  List<BridgeVlan> wanted() {
    List<BridgeVlan> wanted = new ArrayList<>();
    if (!isEmpty()) {
      wanted.add(BridgeVlan.access(untagged()));
      wanted.addAll(tagged());
    }
    return wanted;
  }

  /** The same for the port through which containers reach their gateway: it is in one VLAN only. */
  PortVlans accessOnly() {
    return new PortVlans(access, null, keepDefault);
  }

  /**
   * The changes that lead from the VLANs of a new port to the required ones.
   *
   * @param initial the VLAN its bridge gave it; 0 for none
   */
  List<NetlinkRequest> program(int port, int initial) {
    List<NetlinkRequest> requests = new ArrayList<>();
    if (!isEmpty() && !keepDefault && initial != 0) {
      requests.add(BridgeVlans.delete(port, BridgeVlan.tagged(initial)));
    }
    for (BridgeVlan vlan : wanted()) {
      requests.add(BridgeVlans.add(port, vlan));
    }
    return requests;
  }

  private int untagged() {
    return access == 0 ? NATIVE : access;
  }

  /** Joins adjacent VLANs into ranges, because each range is a message. */
  private List<BridgeVlan> tagged() {
    List<BridgeVlan> ranges = new ArrayList<>();
    NavigableSet<Integer> left = new TreeSet<>(trunk == null ? List.of() : trunk);
    left.remove(untagged());
    while (!left.isEmpty()) {
      int first = left.getFirst();
      int last = first;
      while (left.remove(last)) {
        last++;
      }
      ranges.add(BridgeVlan.tagged(first, last - 1));
    }
    return ranges;
  }

  /** In the configuration's notation. */
  @Override
  public String toString() {
    return access == 0 ? "vlanTrunk " + trunk : "vlan " + access;
  }
}
