package io.ocicat.cli.demo;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import io.ocicat.cli.machine.Preflight;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The file that records a kept demo, by which later commands find it. It names a process by its id
 * and its start time, so that it can never mean another one.
 */
record KeptDemo(Path note) {
  static KeptDemo of(Map<String, String> environment, int uid) {
    String own = environment.getOrDefault("XDG_RUNTIME_DIR", "");
    Path folder = own.isEmpty() ? Path.of(uid == 0 ? "/run" : "/tmp") : Path.of(own);
    return new KeptDemo(folder.resolve("ocicat-demo-%d.json".formatted(uid)));
  }

  /** The running demo; the file of one that is gone is removed. */
  Optional<DemoNode> find(InstalledPrograms installed) {
    if (Files.notExists(note, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      Object owner = Files.getAttribute(note, "unix:uid", LinkOption.NOFOLLOW_LINKS);
      if (!Files.isRegularFile(note, LinkOption.NOFOLLOW_LINKS) || !owner.equals(Preflight.uid())) {
        throw new MachineException("%s is not yours: remove it".formatted(note));
      }
      JsonNode json = CniJson.parse(Files.readString(note));
      Optional<ProcessHandle> holder =
          ProcessHandle.of(json.path("pid").asLong())
              .filter(ProcessHandle::isAlive)
              .filter(process -> started(process).equals(json.path("started").asString()));
      if (holder.isEmpty()) {
        forget();
      }
      return holder.map(
          process ->
              new DemoNode(
                  installed, NamespaceHolder.kept(process, json.path("users").asBoolean(false))));
    } catch (IOException e) {
      throw new MachineException("cannot read %s: %s".formatted(note, e.getMessage()), e);
    }
  }

  void save(DemoNode node) {
    String text =
        Json.pretty(
            Json.object()
                .put("pid", node.holder().pid())
                .put("started", started(node.holder()))
                .put("users", node.users()));
    try {
      Files.createFile(
          note, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(note, text, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw new MachineException("%s is there already: another demo is up".formatted(note), e);
    } catch (IOException e) {
      throw new MachineException("cannot write %s: %s".formatted(note, e.getMessage()), e);
    }
  }

  void forget() {
    try {
      Files.deleteIfExists(note);
    } catch (IOException e) {
      throw new MachineException("cannot remove %s: %s".formatted(note, e.getMessage()), e);
    }
  }

  private static String started(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("");
  }
}
