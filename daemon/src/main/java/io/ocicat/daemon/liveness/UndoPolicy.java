package io.ocicat.daemon.liveness;

import io.ocicat.daemon.liveness.Evidence.CacheEntry;
import io.ocicat.daemon.liveness.Evidence.Inside;
import io.ocicat.daemon.liveness.Evidence.LeaseAge;
import io.ocicat.daemon.liveness.Evidence.OtherRecord;
import io.ocicat.daemon.liveness.UndoDecision.Permitted;
import io.ocicat.daemon.liveness.UndoDecision.Refused;

/**
 * Decides whether an attachment may be undone without a request. Plugins find what they made by the
 * names of network, container and interface, and the Go plugins use the same names in the same
 * files: DEL cannot separate what is stale from what another attachment of the same container and
 * interface uses. So nothing of it is undone while any source claims that container and interface.
 *
 * <p>No rule compares times of the wall clock alone: a newer lease is one claim among several that
 * do not depend on it. Whatever cannot be determined counts as a claim, which {@link NodeEvidence}
 * ensures.
 */
public final class UndoPolicy {
  private UndoPolicy() {}

  public static UndoDecision decide(UndoReason reason, Evidence evidence) {
    String claim = claim(reason, evidence);
    return claim.isEmpty()
        ? new Permitted(mayEnter(reason, evidence.inside()))
        : new Refused(claim);
  }

  /** Empty when nobody claims it. */
  private static String claim(UndoReason reason, Evidence evidence) {
    if (evidence.records().stream().anyMatch(other -> claims(reason, other))) {
      return "the container's interface was attached again";
    }
    if (evidence.cached().stream().anyMatch(entry -> claims(reason, entry))) {
      return "the runtime has the container in another namespace";
    }
    if (evidence.leases().contains(LeaseAge.NEWER)) {
      return "the container has a newer lease";
    }
    if (evidence.addressInUse()) {
      return "an interface has its address";
    }
    if (isOfSomebodyElse(reason, evidence.inside())) {
      return "the interface in its namespace is somebody else's";
    }
    if (evidence.aliasOnHost() && evidence.inside() != Inside.OWN) {
      return "a link of the container's is there, in a namespace that has no name or is another";
    }
    return switch (reason) {
      case NAMESPACE_GONE -> evidence.namespaceIsThere() ? "its namespace is there" : "";
      case RENAMED_NETWORK -> evidence.inside() == Inside.NOTHING ? "" : "its interface is there";
      case EARLIER_BOOT, DEFERRED_DEL, KILLED_ADD, KILLED_DEL, GC -> "";
    };
  }

  private static boolean claims(UndoReason reason, OtherRecord other) {
    if (other.isDeletion() || !other.isOfThisBoot()) {
      return false;
    }
    return switch (reason) {
      // What was made since boot is in use, or has been undone before.
      case EARLIER_BOOT -> true;
      case NAMESPACE_GONE -> other.namespaceIsThere();
      // Its chain's other plugins have older records, in the same namespace.
      case DEFERRED_DEL, KILLED_ADD, KILLED_DEL -> isAnother(other);
      // The runtime no longer wants anything that the network has of this container and interface.
      case GC -> !other.onSameNetwork() && isAnother(other);
      case RENAMED_NETWORK -> other.namespaceIsThere() && !other.inSameNamespace();
    };
  }

  private static boolean isAnother(OtherRecord other) {
    return other.namespaceIsThere() && (other.isNewer() || !other.inSameNamespace());
  }

  private static boolean claims(UndoReason reason, CacheEntry entry) {
    return entry.namespaceIsThere()
        && !entry.inSameNamespace()
        && !(reason == UndoReason.GC && entry.onSameNetwork());
  }

  /** An ADD that was killed may not have got as far as naming the owner of the interface. */
  private static boolean isOfSomebodyElse(UndoReason reason, Inside inside) {
    return inside == Inside.FOREIGN
        || (inside == Inside.HALF_MADE && reason != UndoReason.KILLED_ADD);
  }

  private static boolean mayEnter(UndoReason reason, Inside inside) {
    return inside == Inside.OWN || (inside == Inside.HALF_MADE && reason == UndoReason.KILLED_ADD);
  }
}
