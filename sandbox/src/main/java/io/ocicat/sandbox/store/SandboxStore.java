package io.ocicat.sandbox.store;

import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.files.CachedFiles;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.files.StateFiles.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stores the records, names and checkpoints of sandboxes.
 *
 * <pre>
 * records/&lt;id&gt;/record.json     the record; the sandbox's other files are next to it
 * names/&lt;namespace&gt;/&lt;name&gt;/&lt;uid&gt;_&lt;attempt&gt;   a reserved name: contains the id
 * begun/&lt;id&gt;                 marks a sandbox whose creation is not finished
 * sandbox/&lt;id&gt;               the checkpoint
 * </pre>
 *
 * <p>Everything of a sandbox is created after its record, and the record is removed after
 * everything else. So nothing exists without a record, at whatever point a process dies.
 *
 * <p>Thread-safe, also among processes, as long as changes of one sandbox are made under its lock
 * and those of names under the lock of the pod's.
 */
public final class SandboxStore {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

  private final Path records;
  private final Path names;
  private final Path begun;
  private final Checkpoints checkpoints;
  private final CachedFiles<SandboxRecord> cache = new CachedFiles<>();

  public SandboxStore(Path folder) {
    this.records = StateFiles.privateFolder(folder.resolve("records"));
    this.names = StateFiles.privateFolder(folder.resolve("names"));
    this.begun = StateFiles.privateFolder(folder.resolve("begun"));
    this.checkpoints = new Checkpoints(folder.resolve("sandbox"));
  }

  public Checkpoints checkpoints() {
    return checkpoints;
  }

  /** The directory of one sandbox. */
  public Path folder(String id) {
    return records.resolve(id);
  }

  /** Records that a sandbox is about to be created, and which name it will use. */
  public void markBegun(String id, PodMetadata metadata) {
    StateFiles.write(
        begun.resolve(id),
        String.join(
                "\n",
                metadata.name(),
                metadata.namespace(),
                metadata.uid(),
                Long.toString(metadata.attempt()))
            .getBytes(StandardCharsets.UTF_8),
        Durability.PROCESS);
  }

  /** Returns the name that the sandbox uses, or was about to. */
  public Optional<PodMetadata> nameOfBegun(String id) {
    return StateFiles.read(begun.resolve(id))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .map(text -> text.split("\n", -1))
        .filter(lines -> lines.length == 4)
        .map(lines -> new PodMetadata(lines[0], lines[1], lines[2], Long.parseLong(lines[3])));
  }

  public void unmarkBegun(String id) {
    StateFiles.remove(begun.resolve(id));
  }

  /** Returns the sandboxes whose creation is under way, or was never finished. */
  public List<String> begun() {
    return ids(begun);
  }

  private static List<String> ids(Path folder) {
    return StateFiles.names(folder).stream().filter(name -> ID.matcher(name).matches()).toList();
  }

  /** Writes or replaces a record. */
  public void put(SandboxRecord record) {
    StateFiles.privateFolder(folder(record.id()));
    StateFiles.write(file(record.id()), RecordJson.write(record), Durability.PROCESS);
  }

  /**
   * Returns the record of a sandbox.
   *
   * @throws SandboxException with {@link Reason#CORRUPT} when its record is damaged
   */
  public Optional<SandboxRecord> get(String id) {
    return cache.get(file(id), bytes -> RecordJson.read(id, bytes));
  }

  public boolean exists(String id) {
    return Files.exists(file(id));
  }

  public boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /** Deletes the record and all files of the sandbox. */
  public void remove(String id) {
    StateFiles.remove(file(id));
    StateFiles.removeTree(folder(id));
  }

  /** The ids of all records, including damaged ones. */
  public List<String> ids() {
    List<String> ids = ids(records);
    cache.retain(ids.stream().map(this::file).toList());
    return ids;
  }

  private Path file(String id) {
    return folder(id).resolve("record.json");
  }

  /**
   * Reserves the name of a sandbox.
   *
   * @param isGone decides whether the id that has it no longer exists
   * @return the id that has it instead, if one does
   */
  public Optional<String> reserve(PodMetadata metadata, String id, Predicate<String> isGone) {
    Path file = nameFile(metadata);
    StateFiles.privateFolder(podFolder(metadata));
    Optional<String> holder = holder(file).filter(other -> !isGone.test(other));
    if (holder.isEmpty()) {
      StateFiles.write(file, id.getBytes(StandardCharsets.UTF_8), Durability.PROCESS);
    }
    return holder;
  }

  private static Optional<String> holder(Path file) {
    return StateFiles.read(file).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Releases the name, if this sandbox has it. */
  public void release(PodMetadata metadata, String id) {
    Path file = nameFile(metadata);
    if (holder(file).filter(id::equals).isPresent()) {
      StateFiles.remove(file);
      try {
        Files.deleteIfExists(podFolder(metadata));
      } catch (DirectoryNotEmptyException _) {
        // The pod has other sandboxes.
      } catch (IOException e) {
        throw StateFiles.failed("remove", podFolder(metadata), e);
      }
    }
  }

  /** The sandboxes of a pod, of all its attempts. */
  public List<String> ofPod(String namespace, String name) {
    List<String> ids = new ArrayList<>();
    Path folder = podFolder(namespace, name);
    for (String each : StateFiles.names(folder)) {
      holder(folder.resolve(each)).filter(id -> ID.matcher(id).matches()).ifPresent(ids::add);
    }
    return ids;
  }

  private Path nameFile(PodMetadata metadata) {
    return podFolder(metadata)
        .resolve(StateFiles.nameFor(metadata.uid() + "_" + metadata.attempt()));
  }

  private Path podFolder(PodMetadata metadata) {
    return podFolder(metadata.namespace(), metadata.name());
  }

  private Path podFolder(String namespace, String name) {
    return names.resolve(StateFiles.nameFor(namespace)).resolve(StateFiles.nameFor(name));
  }

  /** Returns a pod's configuration as it is stored. */
  public static ObjectNode toJson(PodConfig config) {
    return RecordJson.config(config);
  }
}
