package io.ocicat.plugins.hostlocal;

import io.ocicat.ip.IpAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Which files of a directory belong to whom, and which addresses are taken. Owners are known by a
 * hash of the file's content only, so that ten thousand leases take one or two megabytes: whoever
 * acts on an answer reads the file first. Not thread-safe.
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

  void forEach(BiConsumer<Long, String> action) {
    files.forEach((owner, names) -> names.forEach(name -> action.accept(owner, name)));
  }

  /** FNV-1a: loads no class that a process for one call would have to wait for. */
  static long hash(String content) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < content.length(); i++) {
      hash = (hash ^ content.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /** The address that a file keeps from being leased: only one form of an address does. */
  static Optional<IpAddress> addressOf(String name) {
    return IpAddress.tryParse(name)
        .filter(address -> !address.isV4Mapped() && address.toString().equals(name));
  }
}
