package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.CniException;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a file such as /etc/resolv.conf into the DNS part of a result. */
final class ResolvConf {
  /** More than a resolver would read. */
  private static final int MAX_BYTES = 1 << 20;

  private ResolvConf() {}

  /**
   * Reads it.
   *
   * @throws CniException with code 5 when it cannot be read
   */
  static Dns read(Path file) {
    try {
      return parse(new String(RegularFile.read(file, MAX_BYTES), UTF_8));
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.IO_FAILURE, "cannot read ipam.resolvConf: " + FileError.describe(e), e);
    }
  }

  static Dns parse(String text) {
    List<String> nameservers = new ArrayList<>();
    String domain = "";
    List<String> search = new ArrayList<>();
    List<String> options = new ArrayList<>();
    for (String line : text.lines().toList()) {
      List<String> words = List.of(line.strip().split("\\s+", -1));
      if (words.size() < 2
          || words.getFirst().startsWith("#")
          || words.getFirst().startsWith(";")) {
        continue;
      }
      List<String> values = words.subList(1, words.size());
      switch (words.getFirst()) {
        case "nameserver" -> nameservers.add(values.getFirst());
        case "domain" -> domain = values.getFirst();
        case "search" -> search.addAll(values);
        case "options" -> options.addAll(values);
        default -> {
          // A result has no place for sortlist and other resolver options.
        }
      }
    }
    return new Dns(nameservers, domain, search, options);
  }
}
