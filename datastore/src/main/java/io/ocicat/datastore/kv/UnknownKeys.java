package io.ocicat.datastore.kv;

import io.ocicat.datastore.resource.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys under Calico's prefix that belong to no known kind: those of a newer Calico, or of its other
 * components. They are not resources here, but still data to preserve.
 */
public final class UnknownKeys {
  private static final int PAGE = 500;

  private UnknownKeys() {}

  /**
   * Returns all of them, as one snapshot. Keys with a lease are left out: they are liveness
   * markers.
   */
  public static List<KeyValue> of(KeyValueStore store) {
    List<KeyValue> unknown = new ArrayList<>();
    RangeQuery query = RangeQuery.all(CalicoLayout.ROOT).limit(PAGE);
    while (true) {
      KeyValuePage page = store.range(query);
      page.entries().stream().filter(UnknownKeys::isUnknown).forEach(unknown::add);
      if (!page.more()) {
        return List.copyOf(unknown);
      }
      query = query.nextPage(page);
    }
  }

  /** Nothing lists {@link Kind#IPAM_HOST}, which only old versions of Calico wrote. */
  private static boolean isUnknown(KeyValue entry) {
    return entry.lease() == 0
        && CalicoLayout.parse(entry.key()).filter(key -> key.kind() != Kind.IPAM_HOST).isEmpty();
  }

  /** What a key belongs to, as far as its path says: the plural of a kind, or a directory. */
  public static String group(KeyValue entry) {
    String path = entry.key().substring(CalicoLayout.ROOT.length());
    String[] parts = path.split("/", -1);
    if (path.startsWith("resources/") && parts.length > 3) {
      return parts[3];
    }
    return parts.length > 2 ? parts[0] + "/" + parts[1] : path;
  }
}
