package io.ocicat.plugins.bridge;

import io.ocicat.cni.json.JsonFields;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.BridgeVlan;
import io.ocicat.netlink.link.BridgeVlans;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which VLANs a port may take part in.
 *
 * @param access the one of untagged frames; 0 for none
 * @param trunk those that pass with their tag, null when none are spoken of: an empty list makes
 *     the bridge filter, too
 * @param keepDefault whether the port keeps the VLAN that the bridge gives every port
 */
record PortVlans(int access, @Nullable NavigableSet<Integer> trunk, boolean keepDefault) {
  private static final int LAST_ID = 4094;

  /** What Linux gives a port, and what a trunk's untagged frames belong to. */
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

  /** Null when it is absent or wrong. */
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

  /** Whether the bridge must tell VLANs apart. */
  boolean needFiltering() {
    return access != 0 || trunk != null;
  }

  /** Whether a port is to be given any. */
  boolean isEmpty() {
    return access == 0 && (trunk == null || trunk.isEmpty());
  }

  /** What a port must have in the end, the VLAN it was born with aside. */
  List<BridgeVlan> wanted() {
    List<BridgeVlan> wanted = new ArrayList<>();
    if (!isEmpty()) {
      wanted.add(BridgeVlan.access(untagged()));
      wanted.addAll(tagged());
    }
    return wanted;
  }

  /** The same for a port that containers reach their gateway by: it takes part in one only. */
  PortVlans accessOnly() {
    return new PortVlans(access, null, keepDefault);
  }

  /**
   * From what a new port has to what it must have.
   *
   * @param born the VLAN its bridge gave it; 0 for none
   */
  List<NetlinkRequest> program(int port, int born) {
    List<NetlinkRequest> requests = new ArrayList<>();
    if (!isEmpty() && !keepDefault && born != 0) {
      requests.add(BridgeVlans.delete(port, BridgeVlan.tagged(born)));
    }
    for (BridgeVlan vlan : wanted()) {
      requests.add(BridgeVlans.add(port, vlan));
    }
    return requests;
  }

  private int untagged() {
    return access == 0 ? NATIVE : access;
  }

  /** Neighbours as ranges: a message each. */
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

  /** As the configuration says it. */
  @Override
  public String toString() {
    return access == 0 ? "vlanTrunk " + trunk : "vlan " + access;
  }
}
