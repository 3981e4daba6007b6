package io.ocicat.cli.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Checks whether the JVM can use the AOT caches of the distribution: where it cannot, it continues
 * silently, and everything starts several times slower (review K12).
 *
 * @param home of the distribution; empty when there is none
 */
record StartCacheCheck(Optional<Path> home) implements DoctorCheck {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "start";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    home.ifPresent(
        folder -> {
          Path launcher = folder.resolve("bin/ocicat");
          if (isRefused(launcher, "--version")) {
            findings.add(finding(folder, "commands, and calls without a daemon,"));
          }
          if (isRefused(launcher, "daemon", "--version")) {
            findings.add(finding(folder, "the daemon and its first calls"));
          }
        });
    return findings;
  }

  private static DoctorFinding finding(Path home, String who) {
    return DoctorFinding.warning(
        "the AOT cache in %s does not fit this Java runtime, or is damaged"
            .formatted(home.resolve("lib")),
        who + " start several times slower",
        "unpack the distribution's archive again, with its own runtime, or build it: ./ocicat dist");
  }

  /** Whether it fails when it must use its cache, but works when it need not. */
  private static boolean isRefused(Path launcher, String... arguments) {
    return !ends(launcher, "on", arguments) && ends(launcher, "auto", arguments);
  }

  private static boolean ends(Path launcher, String mode, String... arguments) {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("JDK_JAVA_OPTIONS", "-XX:AOTMode=" + mode);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return true;
      }
      return process.exitValue() == 0;
    } catch (IOException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
