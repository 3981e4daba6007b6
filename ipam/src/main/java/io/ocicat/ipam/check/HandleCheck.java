package io.ocicat.ipam.check;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.BlockEdit;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.HostReserved;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks the counts of handles against the blocks. */
final class HandleCheck {
  private HandleCheck() {}

  public static List<IpamFinding> run(IpamRecords records, IpamInventory inventory) {
    Map<String, Map<IpPrefix, Integer>> truth = new TreeMap<>();
    for (IpamBlock block : inventory.blocks().values()) {
      new BlockEdit(block)
          .handles()
          .forEach(
              (handle, count) ->
                  truth.computeIfAbsent(handle, _ -> new TreeMap<>()).put(block.cidr(), count));
    }
    truth.keySet().removeIf(HostReserved::isReserved);
    Set<String> ids = new TreeSet<>(truth.keySet());
    ids.addAll(inventory.handles().keySet());
    List<IpamFinding> findings = new ArrayList<>();
    for (String id : ids) {
      Map<IpPrefix, Integer> says =
          Optional.ofNullable(inventory.handles().get(id)).map(IpamHandle::counts).orElse(Map.of());
      boolean isEmpty = inventory.handles().containsKey(id) && says.isEmpty();
      if (isEmpty || !says.equals(truth.getOrDefault(id, Map.of()))) {
        try {
          recheck(records, id, says.keySet(), truth.getOrDefault(id, Map.of()).keySet(), findings);
        } catch (CorruptException _) {
          // An unreadable block is reported already, and its contents are unknown.
        }
      }
    }
    return findings;
  }

  /** Lists are not snapshots: each difference is read once more. */
  private static void recheck(
      IpamRecords records,
      String id,
      Set<IpPrefix> named,
      Set<IpPrefix> having,
      List<IpamFinding> findings) {
    Set<IpPrefix> cidrs = new TreeSet<>(named);
    cidrs.addAll(having);
    Map<IpPrefix, Integer> truth = new TreeMap<>();
    for (IpPrefix cidr : cidrs) {
      records
          .block(cidr)
          .map(block -> new BlockEdit(block.value()).ordinalsOf(id).size())
          .filter(count -> count > 0)
          .ifPresent(count -> truth.put(cidr, count));
    }
    Optional<IpamHandle> handle = records.handle(id).map(IpamRecords.Stored::value);
    Map<IpPrefix, Integer> says = handle.map(IpamHandle::counts).orElse(Map.of());
    if (truth.isEmpty() && handle.isPresent()) {
      findings.add(
          finding(
              IpamFinding.Type.ORPHAN_HANDLE,
              id,
              null,
              "no block has an address for it: its creator was interrupted before allocating one, or its count was left too high. It only takes up space"));
      return;
    }
    for (IpPrefix cidr : cidrs) {
      int has = truth.getOrDefault(cidr, 0);
      int counted = says.getOrDefault(cidr, 0);
      if (counted == 0 && has > 0) {
        findings.add(
            finding(
                IpamFinding.Type.MISSING_HANDLE,
                id,
                cidr,
                "block %s has %d addresses for it and the handle does not say so: they would not be released with it"
                    .formatted(cidr, has)));
      } else if (counted != has) {
        findings.add(
            finding(
                IpamFinding.Type.WRONG_COUNT,
                id,
                cidr,
                "it counts %d addresses of block %s, which has %d for it: an update was interrupted, or Calico made the count"
                    .formatted(counted, cidr, has)));
      }
    }
  }

  private static IpamFinding finding(
      IpamFinding.Type type, String id, @Nullable IpPrefix cidr, String explanation) {
    return new IpamFinding(type, "handle " + id, explanation, true, cidr, id, null, null, null);
  }
}
