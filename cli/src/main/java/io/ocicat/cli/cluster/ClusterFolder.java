package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import io.ocicat.cli.machine.Preflight;
import io.ocicat.cni.CniJson;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.sandbox.infra.ProcessId;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The folder of one cluster in the run directory, by which later commands find it. Its record names
 * the process that holds the cluster's namespaces by id and start time, so that it can never mean
 * another one. All other state of the cluster is inside these namespaces and ends with them.
 *
 * @param run the run directory
 * @param name the cluster's
 */
public record ClusterFolder(Path run, String name) {
  private static final String RECORD = "cluster.json";

  /**
   * A cluster that is recorded.
   *
   * @param ready whether it was completed; it ends by itself if that never happens
   * @param creator the process that brings it up, or did
   */
  record Recorded(ClusterSpec spec, boolean ready, ProcessId creator, NamespaceHolder holder) {}

  /** Of this user: root's is the run directory of nodes. */
  public static ClusterFolder of(Map<String, String> environment, String name) {
    String set = environment.getOrDefault("OCICAT_RUN_DIR", "");
    if (!set.isEmpty()) {
      return new ClusterFolder(Path.of(set).toAbsolutePath(), name);
    }
    int uid = Preflight.uid();
    if (uid == 0) {
      return new ClusterFolder(Path.of("/run/ocicat"), name);
    }
    String own = environment.getOrDefault("XDG_RUNTIME_DIR", "");
    return new ClusterFolder(
        own.isEmpty() ? Path.of("/tmp/ocicat-" + uid) : Path.of(own, "ocicat"), name);
  }

  private Path path() {
    return run.resolve("clusters").resolve(name);
  }

  /** Creates it for the owner alone; the lock excludes other commands that bring it up. */
  FileLock claim() {
    try {
      Files.createDirectories(
          path(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      for (Path folder : new Path[] {run, run.resolve("clusters"), path()}) {
        Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            || !owner.equals(Preflight.uid())) {
          throw new MachineException("%s is not a folder of yours: remove it".formatted(folder));
        }
      }
      return FileLock.tryAcquire(path(), FileLock.Mode.EXCLUSIVE)
          .orElseThrow(
              () ->
                  new MachineException(
                      "another command is bringing cluster \"%s\" up: wait for it, or give another"
                              .formatted(name)
                          + " --name"));
    } catch (IOException e) {
      throw new MachineException("cannot create %s: %s".formatted(path(), e), e);
    }
  }

  /** The cluster, if it is there; what is left of one that ended by itself is nothing. */
  Optional<Recorded> find() {
    JsonNode json;
    try {
      json = CniJson.parse(Files.readString(path().resolve(RECORD)));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new MachineException("cannot read %s: %s".formatted(path().resolve(RECORD), e), e);
    }
    return process(json.path("holder"))
        .filter(ProcessId::isAlive)
        .flatMap(holder -> ProcessHandle.of(holder.pid()))
        .map(
            holder ->
                new Recorded(
                    ClusterSpec.read(json.path("spec")),
                    json.path("ready").asBoolean(),
                    process(json.path("creator")).orElse(ProcessId.NONE),
                    NamespaceHolder.kept(holder, json.path("users").asBoolean())));
  }

  private static Optional<ProcessId> process(JsonNode json) {
    return json.isObject()
        ? Optional.of(new ProcessId(json.path("pid").asLong(), json.path("startTicks").asLong()))
        : Optional.empty();
  }

  void save(ClusterSpec spec, NamespaceHolder holder, boolean ready) {
    var json = Json.object();
    json.set("spec", spec.toJson());
    json.put("ready", ready);
    json.put("users", holder.users());
    put(json.putObject("holder"), ProcessId.of(holder.process().pid()));
    put(json.putObject("creator"), ProcessId.of(ProcessHandle.current().pid()));
    Path file = path().resolve(RECORD);
    Path next = path().resolve(RECORD + ".new");
    try {
      Files.writeString(next, Json.pretty(json));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new MachineException("cannot write %s: %s".formatted(file, e), e);
    }
  }

  private static void put(tools.jackson.databind.node.ObjectNode json, ProcessId process) {
    json.put("pid", process.pid()).put("startTicks", process.startTicks());
  }

  /**
   * Removes it, and the folders around it that are empty then.
   *
   * @return whether there was one
   */
  public boolean remove() {
    boolean there = Files.exists(path(), LinkOption.NOFOLLOW_LINKS);
    try {
      Files.deleteIfExists(path().resolve(RECORD + ".new"));
      Files.deleteIfExists(path().resolve(RECORD));
      for (Path folder : new Path[] {path(), run.resolve("clusters"), run}) {
        Files.deleteIfExists(folder);
      }
    } catch (DirectoryNotEmptyException _) {
      // Of other clusters, or of the daemon.
    } catch (IOException e) {
      throw new MachineException("cannot remove %s: %s".formatted(path(), e), e);
    }
    return there;
  }
}
