package io.ocicat.plugins.hostlocal;

import io.ocicat.ip.IpAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The index of a lease directory in memory: which files belong to which owner, and which addresses
 * are leased. Owners are stored only as a hash of the file's content, so that ten thousand leases
 * take one or two megabytes: the caller reads the file before acting on an answer. Not thread-safe.
 */
final class LeaseIndex {
  /** Names relative to the directory, by the hash of the content. */
  private final Map<Long, List<String>> files = new HashMap<>();

  private final AddressRuns taken = new AddressRuns();
  private int size;

  void add(long owner, String name) {
    List<String> names = files(owner);
    if (!names.contains(name)) {
      files.put(
          owner,
          names.isEmpty()
              ? List.of(name)
              : Stream.concat(names.stream(), Stream.of(name)).toList());
      addressOf(name).ifPresent(taken::add);
      size++;
    }
  }

  void remove(long owner, String name) {
    List<String> names = files(owner);
    if (names.contains(name)) {
      List<String> rest = names.stream().filter(other -> !other.equals(name)).toList();
      if (rest.isEmpty()) {
        files.remove(owner);
      } else {
        files.put(owner, rest);
      }
      addressOf(name).ifPresent(taken::remove);
      size--;
    }
  }

  /** Files whose content may be that of the owner. */
  List<String> files(long owner) {
    return files.getOrDefault(owner, List.of());
  }

  AddressRuns taken() {
    return taken;
  }

  int size() {
    return size;
  }

  /** FNV-1a: needs no class that a short-lived process would have to load. */
  static long hash(String content) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < content.length(); i++) {
      hash = (hash ^ content.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /** The address that a file reserves: only the canonical form of an address does. */
  static Optional<IpAddress> addressOf(String name) {
    return IpAddress.tryParse(name)
        .filter(address -> !address.isV4Mapped() && address.toString().equals(name));
  }
}
