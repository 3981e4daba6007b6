package io.ocicat.sandbox.container.life;

import static io.ocicat.sandbox.store.ResourcesJson.number;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerDevice;
import io.ocicat.sandbox.container.ContainerMount;
import io.ocicat.sandbox.container.ContainerMount.Propagation;
import io.ocicat.sandbox.container.ContainerSecurity;
import io.ocicat.sandbox.store.ResourcesJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts the configuration of a container to JSON and back, without loss. */
final class ConfigJson {
  private ConfigJson() {}

  static ObjectNode write(ContainerConfig config) {
    ObjectNode json = Json.object();
    json.put("name", config.metadata().name());
    json.put("attempt", config.metadata().attempt());
    json.put("image", config.image());
    json.put("userImage", config.userImage());
    json.set("command", Json.array(config.command()));
    json.set("args", Json.array(config.args()));
    json.put("workingDir", config.workingDir());
    // A list, because the order counts and names are arbitrary.
    ArrayNode env = json.putArray("env");
    config.env().forEach((name, value) -> env.add(name).add(value));
    ArrayNode mounts = json.putArray("mounts");
    config.mounts().forEach(mount -> mounts.add(mount(mount)));
    ArrayNode devices = json.putArray("devices");
    for (ContainerDevice device : config.devices()) {
      devices
          .addObject()
          .put("containerPath", device.containerPath())
          .put("hostPath", device.hostPath())
          .put("permissions", device.permissions());
    }
    json.set("labels", pairs(config.labels()));
    json.set("annotations", pairs(config.annotations()));
    json.put("logPath", config.logPath());
    json.put("stdin", config.stdin());
    json.put("stdinOnce", config.stdinOnce());
    json.put("tty", config.tty());
    json.set("resources", ResourcesJson.write(config.resources()));
    json.set("security", security(config.security()));
    json.put("stopSignal", config.stopSignal());
    return json;
  }

  static ContainerConfig read(JsonFields in) {
    return ContainerConfig.of(
            in.text("name").required(), number(in, "attempt"), in.text("image").or(""))
        .userImage(in.text("userImage").or(""))
        .command(texts(in, "command"), texts(in, "args"))
        .workingDir(in.text("workingDir").or(""))
        .env(readPairs(in, "env"))
        .mounts(in.objects("mounts").stream().map(ConfigJson::readMount).toList())
        .devices(
            in.objects("devices").stream()
                .map(
                    each ->
                        new ContainerDevice(
                            each.text("containerPath").or(""),
                            each.text("hostPath").or(""),
                            each.text("permissions").or("")))
                .toList())
        .labels(readPairs(in, "labels"))
        .annotations(readPairs(in, "annotations"))
        .logPath(in.text("logPath").or(""))
        .stdin(in.bool("stdin").or(false), in.bool("stdinOnce").or(false))
        .tty(in.bool("tty").or(false))
        .resources(ResourcesJson.read(in.object("resources")))
        .security(readSecurity(in.object("security")))
        .stopSignal(in.text("stopSignal").or(""))
        .build();
  }

  private static ObjectNode mount(ContainerMount mount) {
    ObjectNode json = Json.object();
    json.put("containerPath", mount.containerPath());
    json.put("hostPath", mount.hostPath());
    json.put("readOnly", mount.readOnly());
    json.put("selinuxRelabel", mount.selinuxRelabel());
    json.put("propagation", mount.propagation().name());
    json.put("recursiveReadOnly", mount.recursiveReadOnly());
    json.put("image", mount.image());
    json.put("imageSubPath", mount.imageSubPath());
    json.put("idMapped", mount.idMapped());
    json.set("options", Json.array(mount.options()));
    return json;
  }

  private static ContainerMount readMount(JsonFields in) {
    return new ContainerMount(
        in.text("containerPath").or(""),
        in.text("hostPath").or(""),
        in.bool("readOnly").or(false),
        in.bool("selinuxRelabel").or(false),
        in.choice("propagation", Propagation.values(), Propagation::name).or(Propagation.PRIVATE),
        in.bool("recursiveReadOnly").or(false),
        in.text("image").or(""),
        in.text("imageSubPath").or(""),
        in.bool("idMapped").or(false),
        texts(in, "options"));
  }

  private static ObjectNode security(ContainerSecurity security) {
    ObjectNode json = Json.object();
    json.set("addCapabilities", Json.array(security.addCapabilities()));
    json.set("dropCapabilities", Json.array(security.dropCapabilities()));
    json.set("addAmbientCapabilities", Json.array(security.addAmbientCapabilities()));
    json.put("privileged", security.privileged());
    json.put("network", security.network().name());
    json.put("pid", security.pid().name());
    json.put("ipc", security.ipc().name());
    json.put("targetId", security.targetId());
    put(json, "runAsUser", security.runAsUser());
    json.put("runAsUsername", security.runAsUsername());
    put(json, "runAsGroup", security.runAsGroup());
    json.set("supplementalGroups", ContainerJson.numbers(security.supplementalGroups()));
    json.put("strictGroups", security.strictGroups());
    json.put("readonlyRootfs", security.readonlyRootfs());
    json.put("noNewPrivileges", security.noNewPrivileges());
    json.set("maskedPaths", Json.array(security.maskedPaths()));
    json.set("readonlyPaths", Json.array(security.readonlyPaths()));
    json.set("seccomp", ResourcesJson.write(security.seccomp()));
    json.set("apparmor", ResourcesJson.write(security.apparmor()));
    return json;
  }

  private static ContainerSecurity readSecurity(JsonFields in) {
    return ContainerSecurity.builder()
        .capabilities(
            texts(in, "addCapabilities"),
            texts(in, "dropCapabilities"),
            texts(in, "addAmbientCapabilities"))
        .privileged(in.bool("privileged").or(false))
        .namespaces(mode(in, "network"), mode(in, "pid"), mode(in, "ipc"))
        .target(in.text("targetId").or(""))
        .user(id(in, "runAsUser"), in.text("runAsUsername").or(""), id(in, "runAsGroup"))
        .groups(
            ContainerJson.readNumbers(in, "supplementalGroups"), in.bool("strictGroups").or(false))
        .readonlyRootfs(in.bool("readonlyRootfs").or(false))
        .noNewPrivileges(in.bool("noNewPrivileges").or(false))
        .paths(texts(in, "maskedPaths"), texts(in, "readonlyPaths"))
        .seccomp(ResourcesJson.readProfile(in.object("seccomp")))
        .apparmor(ResourcesJson.readProfile(in.object("apparmor")))
        .build();
  }

  private static NamespaceMode mode(JsonFields in, String name) {
    return in.choice(name, NamespaceMode.values(), NamespaceMode::name).or(NamespaceMode.POD);
  }

  private static void put(ObjectNode json, String name, @Nullable Long value) {
    if (value != null) {
      json.put(name, value);
    }
  }

  private static @Nullable Long id(JsonFields in, String name) {
    return in.has(name) ? Long.valueOf(number(in, name)) : null;
  }

  private static List<String> texts(JsonFields in, String name) {
    return in.texts(name).or(List.of());
  }

  private static ArrayNode pairs(Map<String, String> pairs) {
    ArrayNode json = Json.array();
    pairs.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(pair -> json.add(pair.getKey()).add(pair.getValue()));
    return json;
  }

  private static Map<String, String> readPairs(JsonFields in, String name) {
    Map<String, String> pairs = new LinkedHashMap<>();
    List<String> texts = texts(in, name);
    for (int i = 0; i + 1 < texts.size(); i += 2) {
      pairs.put(texts.get(i), texts.get(i + 1));
    }
    return pairs;
  }
}
