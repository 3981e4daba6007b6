package io.ocicat.cli.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Checks what machines of namespaces need, and says what to do about anything missing. */
public final class Preflight {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final String CAPABILITIES = "CapEff:";
  private static final int CAP_NET_ADMIN = 12;

  /** Programs and their packages: every Debian system has these. */
  private static final Map<String, String> PROGRAMS =
      Map.of(
          "unshare", "util-linux",
          "nsenter", "util-linux",
          "setsid", "util-linux",
          "mount", "mount",
          "bash", "bash");

  private Preflight() {}

  /**
   * This distribution.
   *
   * @param what needs it, such as {@code demo}
   */
  public static InstalledPrograms distribution(String what) {
    String home = System.getProperty("ocicat.home");
    if (home == null || !Files.isExecutable(Path.of(home, "bin", "ocicat"))) {
      throw new MachineException(
          "ocicat %s needs a distribution around it: run ./ocicat %s".formatted(what, what));
    }
    Set<String> missing = new LinkedHashSet<>();
    Set<String> packages = new LinkedHashSet<>();
    PROGRAMS.keySet().stream()
        .sorted()
        .filter(program -> InstalledPrograms.find(program).isEmpty())
        .forEach(
            program -> {
              missing.add(program);
              packages.add(PROGRAMS.get(program));
            });
    if (!missing.isEmpty()) {
      throw new MachineException(
          "ocicat %s needs %s: apt-get install %s (as root)"
              .formatted(what, String.join(", ", missing), String.join(" ", packages)));
    }
    return new InstalledPrograms(Path.of(home));
  }

  public static int uid() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a user namespace is needed; then one is available. */
  public static boolean needsUserNamespace() {
    boolean root = uid() == 0;
    Optional<String> refusal = refusal(root ? List.of() : List.of("--user", "--map-root-user"));
    if (refusal.isEmpty()) {
      return !root;
    }
    throw new MachineException(
        root
            ? ("root may not create namespaces here (%s): in a container, give it the capabilities SYS_ADMIN and"
                    + " NET_ADMIN (docker run --privileged), or run it on the machine itself")
                .formatted(refusal.get())
            : ("you are not root, and no user namespace is available (%s): run it with sudo, or allow them"
                    + " (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone,"
                    + " kernel.apparmor_restrict_unprivileged_userns)")
                .formatted(refusal.get()));
  }

  private static Optional<String> refusal(List<String> options) {
    List<String> command = new ArrayList<>(List.of("unshare"));
    command.addAll(options);
    command.addAll(List.of("--mount", "--net", "--uts", "--pid", "--mount-proc", "--fork"));
    command.addAll(List.of("sh", "-c", "mount -t tmpfs tmpfs /run"));
    FinishedCommand finished = FinishedCommand.of(command, LIMIT);
    if (finished.code() != 0) {
      return Optional.of(finished.errorOutput());
    }
    // A user namespace provides it.
    return options.isEmpty() && !mayConfigureNetworks()
        ? Optional.of("CAP_NET_ADMIN is missing")
        : Optional.empty();
  }

  private static boolean mayConfigureNetworks() {
    try (Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
      return status
          .filter(line -> line.startsWith(CAPABILITIES))
          .map(line -> Long.parseUnsignedLong(line.substring(CAPABILITIES.length()).strip(), 16))
          .allMatch(capabilities -> (capabilities >>> CAP_NET_ADMIN & 1) == 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
