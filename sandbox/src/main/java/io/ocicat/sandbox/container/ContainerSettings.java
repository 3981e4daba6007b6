package io.ocicat.sandbox.container;

import io.ocicat.base.CrashPoints;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * The settings of containers.
 *
 * @param state survives reboots: records, volumes
 * @param run does not survive reboots: bundles, sockets, exit codes, locks
 * @param conmon the executable
 * @param runtime the executable of runc or crun
 * @param runtimeArguments for every call of it
 * @param cgroupDriver who makes cgroups
 * @param seccompProfile a file with the {@code linux.seccomp} object of an OCI specification that
 *     replaces our default profile; empty for ours
 * @param timeout how long an operation waits for others on the same container, and for programs
 */
public record ContainerSettings(
    Path state,
    Path run,
    Path conmon,
    Path runtime,
    List<String> runtimeArguments,
    CgroupDriver cgroupDriver,
    String seccompProfile,
    Duration timeout,
    Clock clock,
    CrashPoints points) {
  /** Who makes the cgroups of containers. */
  public enum CgroupDriver {
    CGROUPFS,
    SYSTEMD
  }

  public ContainerSettings {
    runtimeArguments = List.copyOf(runtimeArguments);
  }

  /** With cgroupfs and our seccomp profile. */
  public static ContainerSettings usual(Path state, Path run, Path conmon, Path runtime) {
    return new ContainerSettings(
        state,
        run,
        conmon,
        runtime,
        List.of(),
        CgroupDriver.CGROUPFS,
        "",
        Duration.ofMinutes(2),
        Clock.systemUTC(),
        CrashPoints.IGNORED);
  }

  public ContainerSettings runtime(Path executable, List<String> arguments) {
    return new ContainerSettings(
        state,
        run,
        conmon,
        executable,
        arguments,
        cgroupDriver,
        seccompProfile,
        timeout,
        clock,
        points);
  }

  public ContainerSettings cgroups(CgroupDriver driver) {
    return new ContainerSettings(
        state,
        run,
        conmon,
        runtime,
        runtimeArguments,
        driver,
        seccompProfile,
        timeout,
        clock,
        points);
  }

  public ContainerSettings points(CrashPoints listener) {
    return new ContainerSettings(
        state,
        run,
        conmon,
        runtime,
        runtimeArguments,
        cgroupDriver,
        seccompProfile,
        timeout,
        clock,
        listener);
  }
}
