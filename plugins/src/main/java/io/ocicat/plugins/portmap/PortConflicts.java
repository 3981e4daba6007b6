package io.ocicat.plugins.portmap;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.plugins.net.AttachmentOwner;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The conflicts of a claim with what others have. The port of a forward that is not listed here is
 * free.
 *
 * @param kept forwards whose port the owner already has, or has on all other addresses
 * @param ahead forwards that have to wait, each with the element that has the port: of another
 *     attachment of the same container
 * @param taken forwards whose port another container has, each with that one's element
 */
record PortConflicts(
    Set<Forward> kept, Map<Forward, SetElement> ahead, Map<Forward, SetElement> taken) {
  static final PortConflicts FIRST = new PortConflicts(Set.of(), Map.of(), Map.of());

  PortConflicts {
    kept = Set.copyOf(kept);
    ahead = Map.copyOf(ahead);
    taken = Map.copyOf(taken);
  }

  /** The current conflicts of a claim. */
  static PortConflicts of(PortClaim claim, HostPorts ports) {
    Set<Forward> kept = new LinkedHashSet<>();
    Map<Forward, SetElement> ahead = new LinkedHashMap<>();
    Map<Forward, SetElement> taken = new LinkedHashMap<>();
    for (Forward forward : claim.forwardsByMap()) {
      List<SetElement> holders = holders(forward, ports);
      if (!holders.isEmpty() && isOf(claim, holders.getFirst())) {
        kept.add(forward);
      } else {
        holders.stream()
            .filter(other -> !isOf(claim, other))
            .forEach(
                other ->
                    (isOfItsContainer(claim, other) ? ahead : taken).putIfAbsent(forward, other));
      }
    }
    return new PortConflicts(kept, ahead, taken);
  }

  /** The holder of a port, then the holder on all addresses. */
  private static List<SetElement> holders(Forward forward, HostPorts ports) {
    FamilySets family = FamilySets.of(forward);
    return Stream.of(forward.port(), forward.port().onAllAddresses())
        .distinct()
        .map(family::port)
        .flatMap(key -> ports.find(key).stream().map(element -> new SetElement(key.set(), element)))
        .toList();
  }

  private static boolean isOf(PortClaim claim, SetElement entry) {
    return entry.element().comment().equals(claim.label());
  }

  private static boolean isOfItsContainer(PortClaim claim, SetElement entry) {
    return AttachmentOwner.isOneContainer(entry.element().comment(), claim.label());
  }

  /**
   * Checks that all can be met, if only later.
   *
   * @throws CniException with code 11 that names the holder of a port
   */
  void requireNoneTaken(PortOwner owners) {
    for (Map.Entry<Forward, SetElement> one : taken.entrySet()) {
      String label = one.getValue().element().comment();
      Optional<String> pod = owners.pod(label);
      throw new CniException(
              ErrorCode.TRY_AGAIN_LATER,
              "host port %s is taken by %s"
                  .formatted(
                      one.getKey().port(),
                      pod.map(name -> "%s (%s)".formatted(name, PortOwner.brief(label)))
                          .orElse(label)),
              pod.isPresent()
                  ? "end that pod, or choose another host port"
                  : "that is network/container/interface: DEL of it, or GC of its network, makes"
                      + " the port free; or choose another host port")
          .because(FailureReason.PORT_TAKEN);
    }
  }

  boolean hasToWait(Forward forward) {
    return ahead.containsKey(forward);
  }

  /** Whether the owner can have the forward only if the port is free. */
  boolean needsFree(Forward forward) {
    return !kept.contains(forward) && !hasToWait(forward);
  }
}
