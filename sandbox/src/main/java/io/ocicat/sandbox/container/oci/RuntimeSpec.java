package io.ocicat.sandbox.container.oci;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.netlink.linux.RegularFile;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.SecurityProfile;
import io.ocicat.sandbox.cgroup.Cgroups;
import io.ocicat.sandbox.container.ContainerSandbox;
import io.ocicat.sandbox.container.ContainerSecurity;
import io.ocicat.sandbox.container.ContainerUser;
import io.ocicat.sandbox.infra.Privilege;
import io.ocicat.sandbox.seccomp.DefaultSeccomp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OCI runtime specification of one container.
 *
 * @param json the content of {@code config.json}
 * @param user whom it runs as
 */
public record RuntimeSpec(ObjectNode json, ContainerUser user) {
  private static final int LARGEST_PROFILE = 1 << 20;

  /** Makes it, and the files that it refers to. */
  public static RuntimeSpec of(SpecRequest request) {
    ContainerSecurity security = request.config().security();
    if (security.privileged() && !request.sandbox().config().security().privileged()) {
      throw new SandboxException(
          Reason.INVALID, "a privileged container needs a privileged sandbox");
    }
    ContainerUser user = new RootfsUsers(request.rootfs()).find(security, request.image().user());
    Capabilities capabilities = Capabilities.of(security, Privilege.boundingSet());
    String hostname = ContainerFiles.write(request);
    MountList mounts = MountList.of(request, MountTable.current());
    DeviceList devices = DeviceList.of(request);

    ObjectNode spec = Json.object().put("ociVersion", "1.0.2");
    spec.set("process", ProcessSpec.of(request, user, capabilities, hostname));
    spec.putObject("root")
        .put("path", request.rootfs().toString())
        .put("readonly", security.readonlyRootfs());
    spec.set("mounts", mounts.toJson());
    ObjectNode linux = spec.putObject("linux");
    linux.set("namespaces", namespaces(request));
    linux.put("cgroupsPath", request.cgroupsPath());
    ObjectNode resources = ResourcesSpec.of(request.config().resources());
    resources.set("devices", devices.rules());
    linux.set("resources", resources);
    linux.set("devices", devices.nodes());
    if (!mounts.rootPropagation().isEmpty()) {
      linux.put("rootfsPropagation", mounts.rootPropagation());
    }
    if (!security.privileged()) {
      linux.set("maskedPaths", Json.array(security.maskedPaths()));
      linux.set("readonlyPaths", Json.array(security.readonlyPaths()));
      addSeccomp(linux, request, capabilities.held());
    }
    return new RuntimeSpec(spec, user);
  }

  private static ArrayNode namespaces(SpecRequest request) {
    ContainerSandbox sandbox = request.sandbox();
    ContainerSecurity security = request.config().security();
    ArrayNode namespaces = Json.array();
    namespaces.addObject().put("type", "mount");
    if (!sandbox.netns().isEmpty() && security.network() != NamespaceMode.NODE) {
      add(namespaces, "network", sandbox.netns());
      add(namespaces, "uts", ofProcess(sandbox.pid(), "uts"));
    }
    switch (security.ipc()) {
      case POD, TARGET -> {
        if (sandbox.config().ipc() != NamespaceMode.NODE) {
          add(namespaces, "ipc", ofProcess(sandbox.pid(), "ipc"));
        }
      }
      case CONTAINER -> namespaces.addObject().put("type", "ipc");
      case NODE -> {}
    }
    switch (security.pid()) {
      case POD -> {
        if (sandbox.config().pid() != NamespaceMode.NODE) {
          add(namespaces, "pid", ofProcess(sandbox.pid(), "pid"));
        }
      }
      case CONTAINER -> namespaces.addObject().put("type", "pid");
      case NODE -> {}
      case TARGET -> add(namespaces, "pid", ofProcess(request.targetPid(), "pid"));
    }
    if (Cgroups.isUnified() && !security.privileged()) {
      namespaces.addObject().put("type", "cgroup");
    }
    return namespaces;
  }

  private static String ofProcess(long pid, String kind) {
    return "/proc/%d/ns/%s".formatted(pid, kind);
  }

  private static void add(ArrayNode namespaces, String type, String path) {
    namespaces.addObject().put("type", type).put("path", path);
  }

  private static void addSeccomp(ObjectNode linux, SpecRequest request, Set<String> capabilities) {
    SecurityProfile profile = request.config().security().seccomp();
    switch (profile.kind()) {
      case UNCONFINED -> {}
      case RUNTIME_DEFAULT ->
          linux.set(
              "seccomp",
              request.seccompProfile().isEmpty()
                  ? DefaultSeccomp.of(capabilities)
                  : read(request.seccompProfile()));
      case LOCALHOST -> linux.set("seccomp", read(profile.localhost()));
    }
  }

  private static ObjectNode read(String file) {
    try {
      if (!file.startsWith("/")) {
        throw new IOException("not an absolute path");
      }
      if (CniJson.parse(RegularFile.read(Path.of(file), LARGEST_PROFILE))
          instanceof ObjectNode profile) {
        return profile;
      }
      throw new IOException("not a JSON object");
    } catch (IOException | CniException e) {
      throw new SandboxException(
          Reason.INVALID,
          "seccomp profile \"%s\" cannot be used: %s".formatted(file, SandboxException.text(e)),
          e);
    }
  }
}
