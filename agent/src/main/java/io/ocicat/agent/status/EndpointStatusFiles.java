package io.ocicat.agent.status;

import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.base.file.WholeFile;
import io.ocicat.base.json.Json;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.calico.EndpointStatusName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The files by which a CNI plugin learns that an endpoint is ready: one per endpoint, with Felix's
 * name and content, in {@code endpoint-status}. A file is written as a whole, after everything else
 * is in force; equal ones are not written again, and those of endpoints that are gone are removed.
 * For one thread.
 */
public final class EndpointStatusFiles {
  private static final String DIRECTORY = "endpoint-status";

  private final Path directory;

  /** Beside the directory: whoever reads that sees complete files only. */
  private final Path draft;

  /** What the directory contains, by name; null until it was read. */
  private @Nullable Map<String, String> present;

  private @Nullable FileTime directoryTime;
  private @Nullable String problem;
  private long writes;

  public EndpointStatusFiles(Path prefix) {
    this.directory = prefix.resolve(DIRECTORY);
    this.draft = prefix.resolve("." + DIRECTORY);
  }

  public Path directory() {
    return directory;
  }

  /** Brings the directory to exactly the files of these endpoints. */
  public void apply(Iterable<LocalEndpoint> ready) {
    try {
      Map<String, String> there = read();
      Set<String> wanted = new HashSet<>();
      for (LocalEndpoint endpoint : ready) {
        String name = EndpointStatusName.of(endpoint.key());
        String content = content(endpoint);
        wanted.add(name);
        if (!content.equals(there.get(name))) {
          WholeFile.at(directory.resolve(name))
              .draft(draft)
              .mode("rw-r--r--")
              .write(content.getBytes(StandardCharsets.UTF_8));
          there.put(name, content);
          changed();
        }
      }
      for (String name : Set.copyOf(there.keySet())) {
        if (!wanted.contains(name)) {
          Files.deleteIfExists(directory.resolve(name));
          there.remove(name);
          changed();
        }
      }
      problem = null;
    } catch (IOException e) {
      present = null;
      problem = "endpoint status cannot be written to %s: %s".formatted(directory, e);
    }
  }

  /** Whether somebody else has added or removed files since the last {@link #apply}. */
  public boolean isTouched() {
    try {
      return present == null || !Files.getLastModifiedTime(directory).equals(directoryTime);
    } catch (IOException _) {
      return true;
    }
  }

  /** Reads the directory again at the next {@link #apply}. */
  public void resync() {
    present = null;
  }

  private void changed() throws IOException {
    writes++;
    directoryTime = Files.getLastModifiedTime(directory);
  }

  private Map<String, String> read() throws IOException {
    Map<String, String> known = present;
    if (known == null) {
      known = new HashMap<>();
      Files.createDirectories(directory);
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          if (Files.isRegularFile(file)) {
            known.put(file.getFileName().toString(), read(file));
          }
        }
      }
      directoryTime = Files.getLastModifiedTime(directory);
      present = known;
    }
    return known;
  }

  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException _) {
      return "";
    }
  }

  private static String content(LocalEndpoint endpoint) {
    ObjectNode json = Json.object();
    json.put("ifaceName", endpoint.interfaceName());
    MacAddress mac = endpoint.mac();
    if (mac != null) {
      json.put("mac", mac.toString());
    }
    putNetworks(json, "ipv4Nets", endpoint, true);
    putNetworks(json, "ipv6Nets", endpoint, false);
    return Json.compact(json);
  }

  private static void putNetworks(
      ObjectNode json, String member, LocalEndpoint endpoint, boolean v4) {
    ArrayNode networks = Json.array();
    endpoint.networks().stream()
        .filter(network -> network.isV4() == v4)
        .map(IpPrefix::toString)
        .forEach(networks::add);
    if (!networks.isEmpty()) {
      json.set(member, networks);
    }
  }

  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  public long writes() {
    return writes;
  }
}
