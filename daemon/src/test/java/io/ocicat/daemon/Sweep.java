package io.ocicat.daemon;

import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists everything that calls may leave behind, in lines that can be compared. */
final class Sweep {
  private static final JsonMapper JSON = JsonMapper.shared();

  private Sweep() {}

  /** What was added, and what was removed. */
  static List<String> difference(List<String> before, List<String> after) {
    List<String> found = new ArrayList<>();
    after.stream().filter(line -> !before.contains(line)).forEach(line -> found.add("+ " + line));
    before.stream().filter(line -> !after.contains(line)).forEach(line -> found.add("- " + line));
    return found;
  }

  static List<String> of(Installation ocicat, Host... containers) {
    List<String> found = new ArrayList<>();
    kernel(found, ocicat.host());
    for (Host container : containers) {
      kernel(found, container);
    }
    for (String kind : List.of("journal", "spool", "attachments")) {
      ocicat.records(kind).forEach(name -> found.add(kind + " " + name));
    }
    leases(found, ocicat.leases().resolve(Pod.NETWORK));
    return found;
  }

  /** One process for all: there are many snapshots. */
  private static void kernel(List<String> found, Host host) {
    String all =
        host.exec(
                "sh",
                "-c",
                "ip -br link | sed 's/ .*//'; ip -br -4 address | sed -E 's/ +[A-Z]+ +/ /';"
                    + " ip -4 route show table all | sed 's/ linkdown//'; nft -j list ruleset")
            .stdout();
    for (String line : all.split("\n", -1)) {
      if (line.startsWith("{")) {
        JSON.readTree(line).path("nftables").forEach(object -> found.add(host + ruleset(object)));
      } else if (!line.isBlank()) {
        found.add(host + " " + line.strip());
      }
    }
  }

  /** Without handles and counters, which differ from time to time. */
  private static String ruleset(JsonNode object) {
    return " " + object.toString().replaceAll("\"(handle|index|packets|bytes|expires)\":\\d+", "");
  }

  /** One file for each allocated address; the other files are host-local's own. */
  private static void leases(List<String> found, Path folder) {
    if (Files.notExists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("[0-9.]+"))
          .sorted()
          .forEach(name -> found.add("lease " + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
