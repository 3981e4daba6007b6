package io.ocicat.sandbox.container.oci;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerMount;
import io.ocicat.sandbox.container.ContainerMount.Propagation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;

/**
 * The mounts of a container: first those that every one has, then the sandbox's files, then its
 * image's volumes, then what was asked for, by depth. A mount that was asked for replaces a default
 * one on the same path, and one on /dev everything below it.
 */
final class MountList {
  private record Entry(String destination, String type, String source, List<String> options) {}

  private final List<Entry> entries = new ArrayList<>();
  private final List<ContainerMount> given;
  private String rootPropagation = "";

  private MountList(List<ContainerMount> given) {
    this.given = given;
  }

  static MountList of(SpecRequest request, MountTable table) {
    MountList list =
        new MountList(
            request.config().mounts().stream()
                .sorted(Comparator.comparingInt(mount -> depth(mount.containerPath())))
                .toList());
    list.addKernelFiles(request.privileged());
    list.addSandboxFiles(request);
    for (String volume : request.image().volumes()) {
      list.add(
          normal(volume), "bind", volumeFolder(request, volume).toString(), bind("rw", "rprivate"));
    }
    for (ContainerMount mount : list.given) {
      list.addGiven(
          mount,
          request.hostPaths().getOrDefault(mount.hostPath(), Path.of(mount.hostPath())),
          table);
    }
    return list;
  }

  /** The directory of an image's volume, for whoever fills it. */
  static Path volumeFolder(SpecRequest request, String volume) {
    return request.volumes().resolve(Integer.toString(request.image().volumes().indexOf(volume)));
  }

  /** Whether something else is mounted on the volume of an image. */
  static boolean isCovered(SpecRequest request, String volume) {
    return request.config().mounts().stream()
        .anyMatch(mount -> normal(mount.containerPath()).equals(normal(volume)));
  }

  /** What the root file system must propagate; empty for the runtime's default. */
  String rootPropagation() {
    return rootPropagation;
  }

  private void addKernelFiles(boolean privileged) {
    String mode = privileged ? "rw" : "ro";
    add("/proc", "proc", "proc", List.of("nosuid", "noexec", "nodev"));
    add("/dev", "tmpfs", "tmpfs", List.of("nosuid", "strictatime", "mode=755", "size=65536k"));
    add(
        "/dev/pts",
        "devpts",
        "devpts",
        List.of("nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"));
    add("/dev/mqueue", "mqueue", "mqueue", List.of("nosuid", "noexec", "nodev"));
    add("/sys", "sysfs", "sysfs", List.of("nosuid", "noexec", "nodev", mode));
    add(
        "/sys/fs/cgroup",
        "cgroup",
        "cgroup",
        List.of("nosuid", "noexec", "nodev", "relatime", mode));
  }

  private void addSandboxFiles(SpecRequest request) {
    String mode = request.config().security().readonlyRootfs() ? "ro" : "rw";
    for (String name : List.of("hostname", "hosts")) {
      add("/etc/" + name, "bind", request.files().resolve(name).toString(), bind(mode, "rprivate"));
    }
    add(
        "/etc/resolv.conf",
        "bind",
        request.sandbox().resolvConf().toString(),
        bind(mode, "rprivate"));
    if (request.config().security().ipc() == NamespaceMode.CONTAINER) {
      add(
          "/dev/shm",
          "tmpfs",
          "shm",
          List.of("nosuid", "noexec", "nodev", "mode=1777", "size=65536k"));
    } else {
      String shm = request.sandbox().shm();
      add("/dev/shm", "bind", shm.isEmpty() ? "/dev/shm" : shm, bind("rw", "rprivate"));
    }
  }

  private void add(String destination, String type, String source, List<String> options) {
    boolean replaced =
        given.stream()
            .map(mount -> normal(mount.containerPath()))
            .anyMatch(
                path ->
                    path.equals(destination)
                        || (path.equals("/dev") && destination.startsWith("/dev/")));
    if (!replaced) {
      entries.add(new Entry(destination, type, source, options));
    }
  }

  private void addGiven(ContainerMount mount, Path host, MountTable table) {
    String propagation =
        switch (mount.propagation()) {
          case PRIVATE -> "rprivate";
          case HOST_TO_CONTAINER -> "rslave";
          case BIDIRECTIONAL -> "rshared";
        };
    if (mount.propagation() == Propagation.BIDIRECTIONAL) {
      require(table.isShared(host), mount, table.pointOf(host), "shared");
      rootPropagation = "rshared";
    } else if (mount.propagation() == Propagation.HOST_TO_CONTAINER) {
      require(table.isSharedOrSlave(host), mount, table.pointOf(host), "shared or slave");
      if (rootPropagation.isEmpty()) {
        rootPropagation = "rslave";
      }
    }
    List<String> options = new ArrayList<>(bind(mount.readOnly() ? "ro" : "rw", propagation));
    if (mount.recursiveReadOnly()) {
      options.add("rro");
    }
    options.addAll(mount.options());
    entries.add(new Entry(normal(mount.containerPath()), "bind", host.toString(), options));
  }

  private static void require(boolean holds, ContainerMount mount, Path point, String what) {
    if (!holds) {
      throw new SandboxException(
          Reason.FAILED,
          "host path %s is below mount point %s, which is not a %s mount: run `mount --make-rshared %s`"
              .formatted(Quoted.brief(mount.hostPath()), point, what, point));
    }
  }

  private static List<String> bind(String mode, String propagation) {
    return List.of("rbind", propagation, mode);
  }

  private static String normal(String path) {
    return Path.of(path).normalize().toString();
  }

  private static int depth(String path) {
    return Path.of(path).normalize().getNameCount();
  }

  ArrayNode toJson() {
    ArrayNode json = Json.array();
    for (Entry entry : entries) {
      json.addObject()
          .put("destination", entry.destination())
          .put("type", entry.type())
          .put("source", entry.source())
          .set("options", Json.array(entry.options()));
    }
    return json;
  }
}
