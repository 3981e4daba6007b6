package io.ocicat.sandbox.container;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a container as CRI states it. Absent texts are empty.
 *
 * @param image what kubelet said: usually the id that the pull returned
 * @param userImage what the user said; empty for the same
 * @param env in its order; a later variable replaces an earlier one
 * @param logPath relative to the sandbox's log directory; empty for no log
 * @param stdinOnce whether standard input ends with the first client that attached
 * @param stopSignal a name such as {@code SIGUSR1} or {@code SIGRTMIN+3}, or a number; empty for
 *     the image's
 */
public record ContainerConfig(
    ContainerMetadata metadata,
    String image,
    String userImage,
    List<String> command,
    List<String> args,
    String workingDir,
    Map<String, String> env,
    List<ContainerMount> mounts,
    List<ContainerDevice> devices,
    Map<String, String> labels,
    Map<String, String> annotations,
    String logPath,
    boolean stdin,
    boolean stdinOnce,
    boolean tty,
    LinuxResources resources,
    ContainerSecurity security,
    String stopSignal) {
  private static final int LONGEST_NAME = 253;
  private static final int MOST_BYTES = 1 << 20;
  private static final long LAST_ATTEMPT = 0xffffffffL;
  private static final Pattern FORBIDDEN = Pattern.compile("[/\\p{Cntrl}]");

  public ContainerConfig {
    command = List.copyOf(command);
    args = List.copyOf(args);
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    mounts = List.copyOf(mounts);
    devices = List.copyOf(devices);
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }

  public static Builder of(String name, long attempt, String image) {
    return new Builder(new ContainerMetadata(name, attempt), image);
  }

  /** What the user said. */
  public String requestedImage() {
    return userImage.isEmpty() ? image : userImage;
  }

  /**
   * Validates what can be judged without the sandbox and the image.
   *
   * @throws SandboxException naming everything that is wrong
   */
  public void check() {
    List<String> problems = new ArrayList<>();
    String name = metadata.name();
    if (name.isEmpty()) {
      problems.add("metadata.name is missing");
    } else if (name.length() > LONGEST_NAME || FORBIDDEN.matcher(name).find()) {
      problems.add(
          "metadata.name %s is not a valid name: use at most %d characters, without / and control characters"
              .formatted(Quoted.brief(name), LONGEST_NAME));
    }
    if (metadata.attempt() < 0 || metadata.attempt() > LAST_ATTEMPT) {
      problems.add(
          "metadata.attempt must be 0–%d, not %d".formatted(LAST_ATTEMPT, metadata.attempt()));
    }
    if (image.isEmpty()) {
      problems.add("the image is missing");
    }
    checkTexts(problems);
    mounts.forEach(mount -> checkMount(mount, problems));
    checkSecurity(problems);
    if (!stopSignal.isEmpty() && StopSignal.parse(stopSignal).isEmpty()) {
      problems.add("stop signal %s is not a signal".formatted(Quoted.brief(stopSignal)));
    }
    if (!problems.isEmpty()) {
      throw SandboxException.joined(
          Reason.INVALID, "container %s cannot be created".formatted(Quoted.brief(name)), problems);
    }
  }

  private void checkTexts(List<String> problems) {
    env.forEach(
        (name, value) -> {
          if (name.isEmpty() || name.indexOf('=') >= 0 || hasNul(name) || hasNul(value)) {
            problems.add("variable %s cannot be set".formatted(Quoted.brief(name)));
          }
        });
    for (List<String> texts : List.of(command, args)) {
      if (texts.stream().anyMatch(ContainerConfig::hasNul)) {
        problems.add("an argument contains a NUL character");
      }
    }
    if (!workingDir.isEmpty() && (!workingDir.startsWith("/") || hasNul(workingDir))) {
      problems.add(
          "working directory %s is not an absolute path".formatted(Quoted.brief(workingDir)));
    }
    // conmon separates the kind of a log from its path by a colon.
    if (logPath.indexOf(':') >= 0 || hasNul(logPath) || ("/" + logPath + "/").contains("/../")) {
      problems.add(
          "log path %s is not usable: it must be below the log directory, without a colon"
              .formatted(Quoted.brief(logPath)));
    }
    int size = size(labels) + size(annotations);
    if (size > MOST_BYTES) {
      problems.add(
          "labels and annotations have %d characters, at most %d are kept"
              .formatted(size, MOST_BYTES));
    }
  }

  private static void checkMount(ContainerMount mount, List<String> problems) {
    String at = Quoted.brief(mount.containerPath());
    if (!mount.containerPath().startsWith("/") || hasNul(mount.containerPath())) {
      problems.add("mount %s: the container path must be absolute".formatted(at));
    }
    if (!mount.image().isEmpty()) {
      throw new SandboxException(
          Reason.UNSUPPORTED,
          "ImageVolumeMountFailed: mount %s: images as volumes are not supported; copy the files into a volume"
              .formatted(at));
    }
    if (!mount.hostPath().startsWith("/") || hasNul(mount.hostPath())) {
      problems.add("mount %s: the host path must be absolute".formatted(at));
    }
    if (mount.recursiveReadOnly()
        && (!mount.readOnly() || mount.propagation() != ContainerMount.Propagation.PRIVATE)) {
      problems.add(
          "mount %s: recursive_read_only needs readonly and private propagation".formatted(at));
    }
    if (mount.idMapped()) {
      problems.add("mount %s: owners cannot be mapped without a user namespace".formatted(at));
    }
  }

  private void checkSecurity(List<String> problems) {
    if (security.runAsGroup() != null
        && security.runAsUser() == null
        && security.runAsUsername().isEmpty()) {
      problems.add("run_as_group needs run_as_user or run_as_username");
    }
    checkId("run_as_user", security.runAsUser(), problems);
    checkId("run_as_group", security.runAsGroup(), problems);
    security.supplementalGroups().forEach(id -> checkId("supplemental_groups", id, problems));
    if (security.userNamespace()) {
      problems.add("user namespaces are not supported: use the host's");
    }
    if (security.network() == NamespaceMode.CONTAINER
        || security.network() == NamespaceMode.TARGET) {
      problems.add("the network namespace must be the pod's or the node's");
    }
    if (security.ipc() == NamespaceMode.TARGET) {
      problems.add("the IPC namespace must be the pod's, the container's or the node's");
    }
    if (security.pid() == NamespaceMode.TARGET && security.targetId().isEmpty()) {
      problems.add("target_id is missing, whose PID namespace is to be shared");
    }
  }

  private static void checkId(String what, @Nullable Long id, List<String> problems) {
    if (id != null && (id < 0 || id > Integer.MAX_VALUE)) {
      problems.add("%s must be 0–%d, not %d".formatted(what, Integer.MAX_VALUE, id));
    }
  }

  private static boolean hasNul(String text) {
    return text.indexOf('\0') >= 0;
  }

  private static int size(Map<String, String> pairs) {
    return pairs.entrySet().stream()
        .mapToInt(pair -> pair.getKey().length() + pair.getValue().length())
        .sum();
  }

  /** Not thread-safe. */
  public static final class Builder {
    private final ContainerMetadata metadata;
    private final String image;
    private String userImage = "";
    private List<String> command = List.of();
    private List<String> args = List.of();
    private String workingDir = "";
    private Map<String, String> env = Map.of();
    private List<ContainerMount> mounts = List.of();
    private List<ContainerDevice> devices = List.of();
    private Map<String, String> labels = Map.of();
    private Map<String, String> annotations = Map.of();
    private String logPath = "";
    private boolean stdin;
    private boolean stdinOnce;
    private boolean tty;
    private LinuxResources resources = LinuxResources.NONE;
    private ContainerSecurity security = ContainerSecurity.NONE;
    private String stopSignal = "";

    private Builder(ContainerMetadata metadata, String image) {
      this.metadata = metadata;
      this.image = image;
    }

    public Builder userImage(String said) {
      this.userImage = said;
      return this;
    }

    public Builder command(List<String> program, List<String> arguments) {
      this.command = program;
      this.args = arguments;
      return this;
    }

    public Builder workingDir(String directory) {
      this.workingDir = directory;
      return this;
    }

    public Builder env(Map<String, String> variables) {
      this.env = variables;
      return this;
    }

    public Builder mounts(List<ContainerMount> all) {
      this.mounts = all;
      return this;
    }

    public Builder devices(List<ContainerDevice> all) {
      this.devices = all;
      return this;
    }

    public Builder labels(Map<String, String> all) {
      this.labels = all;
      return this;
    }

    public Builder annotations(Map<String, String> all) {
      this.annotations = all;
      return this;
    }

    public Builder logPath(String path) {
      this.logPath = path;
      return this;
    }

    public Builder stdin(boolean open, boolean once) {
      this.stdin = open;
      this.stdinOnce = once;
      return this;
    }

    public Builder tty(boolean terminal) {
      this.tty = terminal;
      return this;
    }

    public Builder resources(LinuxResources limits) {
      this.resources = limits;
      return this;
    }

    public Builder security(ContainerSecurity context) {
      this.security = context;
      return this;
    }

    public Builder stopSignal(String signal) {
      this.stopSignal = signal;
      return this;
    }

    public ContainerConfig build() {
      return new ContainerConfig(
          metadata,
          image,
          userImage,
          command,
          args,
          workingDir,
          env,
          mounts,
          devices,
          labels,
          annotations,
          logPath,
          stdin,
          stdinOnce,
          tty,
          resources,
          security,
          stopSignal);
    }
  }
}
