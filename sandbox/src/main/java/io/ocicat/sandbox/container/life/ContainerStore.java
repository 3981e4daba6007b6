package io.ocicat.sandbox.container.life;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.files.CachedFiles;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.files.StateFiles.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Stores the records of containers: {@code containers/<id>/record.json}, with the volumes of a
 * container next to it. A record is written before anything of a container is made, and removed
 * after everything else.
 *
 * <p>Thread-safe, also among processes, as long as changes of one container are made under its
 * lock.
 */
final class ContainerStore {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

  private final Path folder;
  private final CachedFiles<StoredContainer> cache = new CachedFiles<>();

  ContainerStore(Path state) {
    this.folder = StateFiles.privateFolder(state.resolve("containers"));
  }

  void put(StoredContainer record) {
    StateFiles.privateFolder(folder.resolve(record.id()));
    StateFiles.write(file(record.id()), ContainerJson.write(record), Durability.PROCESS);
  }

  /**
   * Returns the record of a container.
   *
   * @throws SandboxException with {@link Reason#CORRUPT} when it is damaged
   */
  Optional<StoredContainer> get(String id) {
    return cache.get(file(id), bytes -> ContainerJson.read(id, bytes));
  }

  boolean exists(String id) {
    return Files.exists(file(id));
  }

  Path volumes(String id) {
    return folder.resolve(id).resolve("volumes");
  }

  /** Deletes all files of a container, its record last. */
  void remove(String id) {
    StateFiles.removeTree(volumes(id));
    StateFiles.remove(file(id));
    StateFiles.removeTree(folder.resolve(id));
  }

  /** The ids of all containers, including those with damaged records or none. */
  List<String> ids() {
    List<String> ids =
        StateFiles.names(folder).stream().filter(name -> ID.matcher(name).matches()).toList();
    cache.retain(ids.stream().map(this::file).toList());
    return ids;
  }

  private Path file(String id) {
    return folder.resolve(id).resolve("record.json");
  }
}
