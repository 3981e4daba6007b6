package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.check.IpamInventory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the invariants after every single write, by any process. Follows the writes, so that only
 * touched records have to be checked.
 */
final class Ledger {
  private final boolean together;
  private final Map<IpPrefix, IpamBlock> blocks = new TreeMap<>();
  private final Map<IpPrefix, Map<IpAddress, String>> owners = new TreeMap<>();
  private final Map<String, IpamHandle> handles = new TreeMap<>();
  private final Map<ResourceKey.Affinity, BlockAffinity> affinities = new HashMap<>();
  private final Map<IpAddress, String> promised = new HashMap<>();

  Ledger(boolean together) {
    this.together = together;
  }

  /** This address was reported as assigned; from now on it must stay so. */
  void promise(IpAddress address, String handle) {
    assertThat(promised.put(address, handle)).as("who had %s before", address).isNull();
  }

  /** A release was requested; from now on either outcome is valid. */
  void unpromise(IpAddress address) {
    promised.remove(address);
  }

  Set<IpAddress> promised() {
    return promised.keySet();
  }

  /** Checks what was just written. */
  void follow(List<Change> changes, MemoryStore store) {
    Set<IpPrefix> touchedBlocks = new HashSet<>();
    Set<String> touchedHandles = new TreeSet<>();
    for (Change change : changes) {
      ResourceKey key = CalicoLayout.parse(change.key()).orElseThrow();
      Resource now =
          store.get(change.key()).map((KeyValue e) -> CalicoLayout.decode(key, e)).orElse(null);
      switch (key) {
        case ResourceKey.Block block -> {
          Map<IpAddress, String> before = owners.getOrDefault(block.cidr(), Map.of());
          Map<IpAddress, String> after = Map.of();
          if (now == null) {
            blocks.remove(block.cidr());
            owners.remove(block.cidr());
          } else {
            after = ownersOf(IpamBlock.of(now));
            blocks.put(block.cidr(), IpamBlock.of(now));
            owners.put(block.cidr(), after);
          }
          touchedBlocks.add(block.cidr());
          for (IpAddress address : union(before.keySet(), after.keySet())) {
            String was = before.get(address);
            String is = after.get(address);
            if (!Objects.equals(was, is)) {
              checkPromise(address, is);
              Stream.of(was, is).filter(Objects::nonNull).forEach(touchedHandles::add);
            }
          }
        }
        case ResourceKey.Handle handle -> {
          if (now == null) {
            handles.remove(handle.id());
          } else {
            handles.put(handle.id(), IpamHandle.of(now));
          }
          touchedHandles.add(handle.id());
        }
        case ResourceKey.Affinity affinity -> {
          if (now == null) {
            affinities.remove(affinity);
          } else {
            affinities.put(affinity, BlockAffinity.of(now));
          }
          touchedBlocks.add(affinity.cidr());
        }
        default -> {}
      }
    }
    touchedBlocks.forEach(this::checkBlock);
    touchedHandles.forEach(handle -> checkHandle(handle, together));
  }

  private static Set<IpAddress> union(Set<IpAddress> some, Set<IpAddress> others) {
    Set<IpAddress> all = new HashSet<>(some);
    all.addAll(others);
    return all;
  }

  private static Map<IpAddress, String> ownersOf(IpamBlock block) {
    Map<IpAddress, String> owners = new HashMap<>();
    for (int o = 0; o < block.allocations().size(); o++) {
      int index = block.allocations().get(o);
      if (index != IpamBlock.FREE) {
        owners.put(
            block.cidr().first().plus(o), String.valueOf(block.attributes().get(index).handle()));
      }
    }
    return owners;
  }

  private void checkPromise(IpAddress address, @Nullable String is) {
    String wanted = promised.get(address);
    if (wanted != null && !wanted.equals(is)) {
      fail("%s was promised to %s and is now of %s", address, wanted, is);
    }
  }

  private void checkBlock(IpPrefix cidr) {
    IpamBlock block = blocks.get(cidr);
    if (block == null) {
      return;
    }
    Set<Integer> free = new TreeSet<>();
    Set<Integer> used = new TreeSet<>();
    for (int o = 0; o < block.allocations().size(); o++) {
      int index = block.allocations().get(o);
      if (index == IpamBlock.FREE) {
        free.add(o);
      } else {
        used.add(index);
      }
    }
    if (!new TreeSet<>(block.unallocated()).equals(free)
        || block.unallocated().size() != free.size()
        || used.size() != block.attributes().size()) {
      fail("block contradicts itself: %s", block);
    }
    long confirmed =
        affinities.entrySet().stream()
            .filter(e -> e.getKey().cidr().equals(cidr))
            .filter(e -> e.getValue().state() == BlockAffinity.State.CONFIRMED)
            .filter(e -> IpamInventory.ownerOf(e.getKey()).toString().equals(block.affinity()))
            .count();
    if (together && confirmed != (block.affinity() == null ? 0 : 1)) {
      fail("block has %d affinities: %s", confirmed, block);
    }
  }

  private void checkHandle(String id, boolean exactly) {
    Map<IpPrefix, Integer> truth = new TreeMap<>();
    owners.forEach(
        (cidr, inUse) -> {
          int count = (int) inUse.values().stream().filter(id::equals).count();
          if (count > 0) {
            truth.put(cidr, count);
          }
        });
    IpamHandle handle = handles.get(id);
    Map<IpPrefix, Integer> says = handle == null ? Map.of() : handle.counts();
    if (exactly && !(says.equals(truth) && (handle == null) == truth.isEmpty())) {
      fail("handle %s says %s, blocks say %s", id, handle, truth);
    }
    truth.forEach(
        (cidr, count) -> {
          if (says.getOrDefault(cidr, 0) < count) {
            fail("handle %s says %s, blocks say %s", id, handle, truth);
          }
        });
  }

  /** After all processes have recovered, nothing is left half done. */
  void checkSettled() {
    blocks.keySet().forEach(this::checkBlock);
    handles.keySet().forEach(handle -> checkHandle(handle, true));
    Map<IpAddress, String> assigned = assigned();
    promised.keySet().forEach(address -> checkPromise(address, assigned.get(address)));
    Set<String> owned = new TreeSet<>();
    blocks.values().stream()
        .filter(block -> block.affinity() != null)
        .forEach(block -> owned.add(block.affinity() + " " + block.cidr()));
    Set<String> confirmed = new TreeSet<>();
    affinities.forEach(
        (key, affinity) -> {
          assertThat(affinity.state()).isEqualTo(BlockAffinity.State.CONFIRMED);
          confirmed.add(IpamInventory.ownerOf(key) + " " + key.cidr());
        });
    assertThat(confirmed).isEqualTo(owned);
  }

  /** Every assigned address, according to the blocks. */
  Map<IpAddress, String> assigned() {
    Map<IpAddress, String> all = new HashMap<>();
    owners.values().forEach(all::putAll);
    return all;
  }

  Set<String> handles() {
    return Set.copyOf(handles.keySet());
  }
}
