package io.ocicat.agent.kernel;

import io.ocicat.netlink.NetlinkRequest;
import java.util.Map;

/**
 * A kernel table of entries on links: how to read what is ours of it, and how to change one entry.
 *
 * @param <K> identifies an entry
 * @param <V> where it leads
 */
interface EntryTable<K, V> {
  /** What messages call an entry. */
  String noun();

  /** The entries that an agent owns: permanent ones on its own links. */
  Map<K, V> read();

  /** The link that the entry is on. */
  String device(K key);

  NetlinkRequest replace(int link, K key, V value);

  NetlinkRequest delete(int link, K key, V value);
}
