package io.ocicat.sandbox.container.oci;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.SecurityProfile;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerUser;
import io.ocicat.sandbox.infra.Privilege;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The {@code process} object of a specification. */
public final class ProcessSpec {
  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** Programs that loop over all descriptors suffer from more; those that need more can ask. */
  private static final long OPEN_FILES = 1024;

  private static final long MOST_OPEN_FILES = 524_288;

  private ProcessSpec() {}

  static ObjectNode of(
      SpecRequest request, ContainerUser user, Capabilities capabilities, String hostname) {
    ContainerConfig config = request.config();
    ObjectNode process = Json.object().put("terminal", config.tty());
    ObjectNode whom = process.putObject("user").put("uid", user.uid()).put("gid", user.gid());
    ArrayNode groups = whom.putArray("additionalGids");
    user.groups().forEach(groups::add);
    process.set("args", Json.array(args(config, request.image())));
    process.set("env", Json.array(env(config, request.image(), hostname)));
    process.put("cwd", cwd(config, request.image()));
    ObjectNode sets = process.putObject("capabilities");
    for (String set : List.of("bounding", "effective", "permitted")) {
      sets.set(set, Json.array(capabilities.held()));
    }
    sets.set("inheritable", Json.array(capabilities.ambient()));
    sets.set("ambient", Json.array(capabilities.ambient()));
    long hard = Math.min(MOST_OPEN_FILES, Privilege.mostOpenFiles());
    process
        .putArray("rlimits")
        .addObject()
        .put("type", "RLIMIT_NOFILE")
        .put("hard", hard)
        .put("soft", Math.min(OPEN_FILES, hard));
    process.put("noNewPrivileges", config.security().noNewPrivileges());
    process.put("oomScoreAdj", oomScore(config.resources().oomScoreAdj()));
    SecurityProfile apparmor = config.security().apparmor();
    if (apparmor.kind() == SecurityProfile.Kind.LOCALHOST
        && !request.privileged()
        && isAppArmorEnabled()) {
      process.put("apparmorProfile", apparmor.localhost());
    }
    return process;
  }

  /** Always stated: this process is protected, and what inherits its score would be, too. */
  private static long oomScore(long wanted) {
    return Privilege.mayLowerOomScore() ? wanted : Math.max(wanted, Privilege.oomScoreAdj());
  }

  private static boolean isAppArmorEnabled() {
    try {
      return Files.readString(Path.of("/sys/module/apparmor/parameters/enabled")).startsWith("Y");
    } catch (IOException _) {
      return false;
    }
  }

  private static List<String> args(ContainerConfig config, ContainerImage image) {
    List<String> args = new ArrayList<>();
    if (!config.command().isEmpty()) {
      args.addAll(config.command());
      args.addAll(config.args());
    } else {
      args.addAll(image.entrypoint());
      args.addAll(config.args().isEmpty() ? image.cmd() : config.args());
    }
    if (args.isEmpty()) {
      throw new SandboxException(
          Reason.INVALID,
          "no command: neither container %s nor its image states one"
              .formatted(config.metadata().name()));
    }
    return args;
  }

  private static List<String> env(ContainerConfig config, ContainerImage image, String hostname) {
    Map<String, String> env = new LinkedHashMap<>();
    env.put("PATH", PATH);
    if (config.tty()) {
      env.put("TERM", "xterm");
    }
    env.put("HOSTNAME", hostname);
    for (String each : image.env()) {
      int sign = each.indexOf('=');
      if (sign > 0) {
        env.put(each.substring(0, sign), each.substring(sign + 1));
      }
    }
    env.putAll(config.env());
    List<String> pairs = new ArrayList<>();
    env.forEach((name, value) -> pairs.add(name + "=" + value));
    return pairs;
  }

  private static String cwd(ContainerConfig config, ContainerImage image) {
    if (!config.workingDir().isEmpty()) {
      return config.workingDir();
    }
    return image.workingDir().isEmpty() ? "/" : image.workingDir();
  }

  /** Returns the process of a container with another command, for exec. */
  public static ObjectNode forExec(ObjectNode spec, List<String> command, boolean tty) {
    ObjectNode process = spec.withObject("process").deepCopy();
    process.put("terminal", tty);
    process.set("args", Json.array(command));
    if (tty) {
      ArrayNode env = Json.array();
      boolean known = false;
      for (var each : process.withArray("env")) {
        known |= each.asString().startsWith("TERM=");
        env.add(each);
      }
      if (!known) {
        env.add("TERM=xterm");
      }
      process.set("env", env);
    }
    return process;
  }
}
