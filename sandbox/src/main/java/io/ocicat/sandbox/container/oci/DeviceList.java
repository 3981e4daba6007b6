package io.ocicat.sandbox.container.oci;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The devices of a container and the rules that let it use them. The runtime adds those that every
 * container has.
 */
final class DeviceList {
  private static final int TYPE = 0170000;
  private static final int CHARACTER = 0020000;
  private static final int BLOCK = 0060000;
  private static final int PERMISSIONS = 0777;
  private static final Path DEV = Path.of("/dev");

  /** Mounts of their own, and what belongs to one terminal. */
  private static final Set<String> NOT_SHARED =
      Set.of("pts", "shm", "mqueue", "hugepages", "fd", "ptmx", "console", "tty");

  private final ArrayNode nodes = Json.array();
  private final ArrayNode rules = Json.array();

  private DeviceList() {}

  static DeviceList of(SpecRequest request) {
    DeviceList list = new DeviceList();
    if (request.privileged()) {
      list.rules.addObject().put("allow", true).put("access", "rwm");
      list.addAllOfHost();
      return list;
    }
    list.rules.addObject().put("allow", false).put("access", "rwm");
    for (ContainerDevice device : request.config().devices()) {
      Path host = request.hostPaths().getOrDefault(device.hostPath(), Path.of(device.hostPath()));
      String permissions = device.permissions().isEmpty() ? "rwm" : device.permissions();
      if (Files.isDirectory(host)) {
        list.addFolder(host, Path.of(device.containerPath()), permissions);
      } else if (!list.add(host, device.containerPath(), permissions)) {
        throw new SandboxException(
            Reason.INVALID, "%s is not a device".formatted(Quoted.brief(device.hostPath())));
      }
    }
    return list;
  }

  ArrayNode nodes() {
    return nodes;
  }

  ArrayNode rules() {
    return rules;
  }

  private void addAllOfHost() {
    try (Stream<Path> entries = Files.list(DEV)) {
      for (Path each : entries.sorted().toList()) {
        if (NOT_SHARED.contains(each.getFileName().toString()) || Files.isSymbolicLink(each)) {
          continue;
        }
        if (Files.isDirectory(each)) {
          addFolder(each, each, "");
        } else {
          add(each, each.toString(), "");
        }
      }
    } catch (IOException e) {
      throw failed(DEV, e);
    }
  }

  private void addFolder(Path host, Path container, String permissions) {
    try (Stream<Path> all = Files.walk(host)) {
      for (Path each : all.filter(entry -> !Files.isSymbolicLink(entry)).sorted().toList()) {
        add(each, container.resolve(host.relativize(each).toString()).toString(), permissions);
      }
    } catch (IOException e) {
      throw failed(host, e);
    }
  }

  /**
   * Returns false for what is not a device.
   *
   * @param permissions empty for no rule
   */
  private boolean add(Path host, String container, String permissions) {
    Map<String, Object> stat;
    try {
      stat = Files.readAttributes(host, "unix:mode,rdev,uid,gid");
    } catch (IOException e) {
      throw failed(host, e);
    }
    int mode = (Integer) stat.getOrDefault("mode", 0);
    int type = mode & TYPE;
    if (type != CHARACTER && type != BLOCK) {
      return false;
    }
    String kind = type == CHARACTER ? "c" : "b";
    long device = (Long) stat.getOrDefault("rdev", 0L);
    long major = (device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL);
    long minor = (device & 0xff) | (device >>> 12 & ~0xffL);
    ObjectNode node =
        nodes
            .addObject()
            .put("path", container)
            .put("type", kind)
            .put("major", major)
            .put("minor", minor)
            .put("fileMode", mode & PERMISSIONS);
    node.put("uid", (Integer) stat.getOrDefault("uid", 0));
    node.put("gid", (Integer) stat.getOrDefault("gid", 0));
    if (!permissions.isEmpty()) {
      rules
          .addObject()
          .put("allow", true)
          .put("type", kind)
          .put("major", major)
          .put("minor", minor)
          .put("access", permissions);
    }
    return true;
  }

  private static SandboxException failed(Path path, IOException e) {
    return new SandboxException(
        Reason.FAILED, "cannot look at device %s: %s".formatted(path, SandboxException.text(e)), e);
  }
}
