package io.ocicat.cli.install;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedCollection;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Records which files were installed where, in the state directory. Written before the first file
 * is put in place, so that it lists whatever a killed install leaves.
 */
final class InstallManifest {
  private static final String NAME = "installed.json";
  private static final int VERSION = 1;

  /** What was at the path before, and where it is kept. */
  record Kept(Path path, Fingerprint fingerprint) {}

  /**
   * One of our files.
   *
   * @param ours its possible contents: several while one version replaces another
   */
  record Entry(Path path, Set<Fingerprint> ours, @Nullable Kept kept) {
    Entry {
      ours = Set.copyOf(ours);
    }
  }

  private final Map<Path, Entry> entries = new LinkedHashMap<>();
  private final Set<Path> directories = new LinkedHashSet<>();

  static Path fileIn(Path state) {
    return state.resolve(NAME);
  }

  /** Empty when nothing was ever installed. */
  static InstallManifest read(Path state) {
    Path file = fileIn(state);
    try {
      return parse(Files.readAllBytes(file));
    } catch (NoSuchFileException _) {
      return new InstallManifest();
    } catch (IOException e) {
      throw InstallException.of("read", file, e);
    } catch (CniException | IllegalArgumentException e) {
      throw new InstallException(
          "%s does not say what was installed: %s; move it away to begin anew, which treats what is there as somebody else's"
              .formatted(file, e.getMessage()));
    }
  }

  /** The state directory, for its owner alone. */
  static void makeFolder(Path state) {
    try {
      if (!Files.isDirectory(state)) {
        Files.createDirectories(state.getParent());
        Files.createDirectory(
            state,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (IOException e) {
      throw InstallException.of("make", state, e);
    }
  }

  void write(Path state) {
    InstallItem item = InstallItem.text(bytes(), "rw-------", fileIn(state));
    item.stage();
    item.appear();
  }

  static void remove(Path state) {
    try {
      Files.deleteIfExists(fileIn(state));
    } catch (IOException e) {
      throw InstallException.of("remove", fileIn(state), e);
    }
  }

  boolean isEmpty() {
    return entries.isEmpty() && directories.isEmpty();
  }

  /** In the order in which they were put there. */
  SequencedCollection<Entry> entries() {
    return List.copyOf(entries.values());
  }

  Optional<Entry> entry(Path path) {
    return Optional.ofNullable(entries.get(path));
  }

  void put(Entry entry) {
    entries.put(entry.path(), entry);
  }

  void forget(Path path) {
    entries.remove(path);
  }

  /** Created by us and to be removed once empty, outermost first. */
  List<Path> directories() {
    return List.copyOf(directories);
  }

  void putDirectory(Path directory) {
    directories.add(directory);
  }

  void forgetDirectory(Path directory) {
    directories.remove(directory);
  }

  private byte[] bytes() {
    ObjectNode json = Json.object().put("version", VERSION);
    ArrayNode list = json.putArray("files");
    for (Entry entry : entries.values()) {
      ObjectNode node = list.addObject().put("path", entry.path().toString());
      node.set("ours", Json.array(entry.ours().stream().map(Fingerprint::text).sorted().toList()));
      if (entry.kept() != null) {
        node.putObject("kept")
            .put("path", entry.kept().path().toString())
            .put("fingerprint", entry.kept().fingerprint().text());
      }
    }
    json.set("directories", Json.array(directories.stream().map(Path::toString).toList()));
    return Json.prettyBytes(json);
  }

  private static InstallManifest parse(byte[] bytes) {
    JsonNode json = CniJson.parse(bytes);
    if (json.path("version").asInt(0) != VERSION) {
      throw new IllegalArgumentException("it is not of version " + VERSION);
    }
    InstallManifest manifest = new InstallManifest();
    for (JsonNode node : json.path("files")) {
      Set<Fingerprint> ours =
          texts(node.path("ours")).stream().map(Fingerprint::new).collect(Collectors.toSet());
      manifest.put(new Entry(path(node), ours, node.has("kept") ? kept(node.path("kept")) : null));
    }
    texts(json.path("directories")).forEach(text -> manifest.putDirectory(Path.of(text)));
    return manifest;
  }

  private static Kept kept(JsonNode node) {
    return new Kept(path(node), new Fingerprint(node.path("fingerprint").asString("")));
  }

  private static Path path(JsonNode node) {
    Path path = Path.of(node.path("path").asString(""));
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException("\"%s\" is not an absolute path".formatted(path));
    }
    return path;
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(node -> texts.add(node.asString("")));
    return texts;
  }
}
