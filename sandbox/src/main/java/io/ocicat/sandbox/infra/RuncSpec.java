package io.ocicat.sandbox.infra;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.seccomp.DefaultSeccomp;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the OCI runtime specification of the infra container. */
final class RuncSpec {
  private static final int OOM_SCORE = -998;
  private static final int CPU_SHARES = 2;

  private RuncSpec() {}

  static ObjectNode of(PodConfig config, String netns, Path rootfs, String cgroup) {
    ObjectNode spec = Json.object().put("ociVersion", "1.0.2");
    ObjectNode process = spec.putObject("process");
    process.put("terminal", false).put("cwd", "/").put("noNewPrivileges", true);
    if (Privilege.mayLowerOomScore()) {
      process.put("oomScoreAdj", OOM_SCORE);
    }
    process.putObject("user").put("uid", 0).put("gid", 0);
    process.set("args", Json.array(List.of("/pause")));
    process.set("env", Json.array(List.of("PATH=/")));
    spec.putObject("root").put("path", rootfs.toString()).put("readonly", true);
    // With the host's network, the pod has the host's name.
    if (!config.hostNetwork() && !config.hostname().isEmpty()) {
      spec.put("hostname", config.hostname());
    }
    ArrayNode mounts = spec.putArray("mounts");
    mount(mounts, "/proc", "proc", "proc", "nosuid", "noexec", "nodev");
    // Each pod has its own: runc creates devices and links there, and the rest is shared by all
    // pods.
    mount(mounts, "/dev", "tmpfs", "tmpfs", "nosuid", "noexec", "mode=755", "size=64k");
    ObjectNode linux = spec.putObject("linux");
    if (!cgroup.isEmpty()) {
      linux.put("cgroupsPath", cgroup);
      linux.putObject("resources").putObject("cpu").put("shares", CPU_SHARES);
    }
    ArrayNode namespaces = linux.putArray("namespaces");
    namespace(namespaces, "mount", "");
    if (!config.hostNetwork()) {
      namespace(namespaces, "network", netns);
      namespace(namespaces, "uts", "");
    }
    if (config.pid() != NamespaceMode.NODE) {
      namespace(namespaces, "pid", "");
    }
    if (config.ipc() != NamespaceMode.NODE) {
      namespace(namespaces, "ipc", "");
    }
    Map<String, String> sysctls = config.sysctls().ofIpc();
    if (!sysctls.isEmpty()) {
      ObjectNode settings = linux.putObject("sysctl");
      sysctls.forEach(settings::put);
    }
    linux.set("maskedPaths", Json.array(List.of("/proc/kcore", "/proc/keys", "/proc/timer_list")));
    linux.set("readonlyPaths", Json.array(List.of("/proc/sys", "/proc/sysrq-trigger")));
    linux.set("seccomp", DefaultSeccomp.of(Set.of()));
    return spec;
  }

  private static void mount(
      ArrayNode mounts, String destination, String type, String source, String... options) {
    mounts
        .addObject()
        .put("destination", destination)
        .put("type", type)
        .put("source", source)
        .set("options", Json.array(List.of(options)));
  }

  private static void namespace(ArrayNode namespaces, String type, String path) {
    ObjectNode entry = namespaces.addObject().put("type", type);
    if (!path.isEmpty()) {
      entry.put("path", path);
    }
  }
}
