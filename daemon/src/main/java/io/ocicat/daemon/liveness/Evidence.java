package io.ocicat.daemon.liveness;

import java.util.List;

/**
 * The evidence about one attachment, the suspect: what each source says of its container and
 * interface.
 *
 * @param namespaceIsThere whether the suspect's namespace is where its record says
 * @param inside what has the interface's name in that namespace
 * @param records other records of the same container and interface, whatever plugin and network
 * @param cached libcni's cache entries of the same container and interface
 * @param leases host-local's leases of the same container and interface
 * @param aliasOnHost whether the alias of a link on the host names this container and interface
 * @param addressInUse whether an interface elsewhere has an address that the suspect had, or that
 *     is leased to its container and interface
 */
public record Evidence(
    boolean namespaceIsThere,
    Inside inside,
    List<OtherRecord> records,
    List<CacheEntry> cached,
    List<LeaseAge> leases,
    boolean aliasOnHost,
    boolean addressInUse) {
  public Evidence {
    records = List.copyOf(records);
    cached = List.copyOf(cached);
    leases = List.copyOf(leases);
  }

  /** What has the interface's name in the suspect's namespace. */
  public enum Inside {
    /** Nothing, or there is no such namespace. */
    NOTHING,
    /** What the suspect's ADD made, by its alias or hardware address. */
    OWN,
    /** Nothing says whose it is, and it was never brought up: nobody uses it. */
    HALF_MADE,
    /** Another attachment's. */
    FOREIGN
  }

  /**
   * Another record.
   *
   * @param isOfThisBoot whether it was made since boot
   * @param isNewer whether it was made after the suspect's
   * @param namespaceIsThere whether its namespace is where it says
   * @param inSameNamespace whether that is the suspect's, or the suspect has none
   * @param onSameNetwork whether it is of the suspect's network
   * @param isDeletion whether it records a DEL, which nothing depends on
   */
  public record OtherRecord(
      boolean isOfThisBoot,
      boolean isNewer,
      boolean namespaceIsThere,
      boolean inSameNamespace,
      boolean onSameNetwork,
      boolean isDeletion) {}

  /**
   * An entry of libcni's cache.
   *
   * @param namespaceIsThere whether its path leads to a namespace
   * @param inSameNamespace whether that is the suspect's, under the same path
   * @param onSameNetwork whether it is of the suspect's network
   */
  public record CacheEntry(
      boolean namespaceIsThere, boolean inSameNamespace, boolean onSameNetwork) {}

  /** Whether a lease was written after anything of the suspect can have been. */
  public enum LeaseAge {
    NEWER,
    NOT_NEWER
  }
}
