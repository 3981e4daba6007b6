package io.ocicat.sandbox.container.life;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.cgroup.CgroupPath;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerSandbox;
import io.ocicat.sandbox.container.ContainerSettings.CgroupDriver;
import io.ocicat.sandbox.container.ContainerUser;
import io.ocicat.sandbox.container.PreparedContainer;
import io.ocicat.sandbox.container.conmon.Conmon.Started;
import io.ocicat.sandbox.container.life.StoredContainer.Exit;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.container.oci.RuntimeSpec;
import io.ocicat.sandbox.container.oci.SpecRequest;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.files.StateFiles.Durability;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;

/**
 * Creates one container: its record, its root file system, its specification, its monitor. After a
 * failure everything that was made is removed again. Called under the lock of the container.
 */
final class CreateContainer {
  private final ContainerContext context;
  private final ContainerSandbox sandbox;
  private final ContainerImage image;
  private final Map<String, Path> hostPaths;
  private final CgroupPath cgroup;
  private final long targetPid;
  private StoredContainer record;

  /**
   * @param targetPid whose PID namespace is shared; 0 for none
   */
  CreateContainer(
      ContainerContext context,
      String id,
      ContainerSandbox sandbox,
      PreparedContainer container,
      ContainerImage image,
      byte[] request,
      long targetPid) {
    this.context = context;
    this.sandbox = sandbox;
    this.image = image;
    this.hostPaths = container.hostPaths();
    this.targetPid = targetPid;
    this.cgroup =
        CgroupPath.of(
            sandbox.config().cgroupParent(),
            id,
            context.settings().cgroupDriver() == CgroupDriver.SYSTEMD);
    ContainerConfig config = container.config();
    this.record =
        new StoredContainer(
            id,
            sandbox.id(),
            context.now(),
            context.bootId(),
            config,
            image.id(),
            image.repoDigest().isEmpty() ? image.id() : image.repoDigest(),
            logPath(sandbox, config),
            cgroup.group(),
            config.stopSignal().isEmpty() ? image.stopSignal() : config.stopSignal(),
            Base64.getEncoder().encodeToString(request),
            Phase.CREATING,
            ProcessId.NONE,
            ProcessId.NONE,
            ContainerUser.ROOT,
            config.resources(),
            0,
            Exit.NONE);
  }

  private static String logPath(ContainerSandbox sandbox, ContainerConfig config) {
    String directory = sandbox.config().logDirectory();
    return directory.isEmpty() || config.logPath().isEmpty()
        ? ""
        : Path.of(directory, config.logPath()).toString();
  }

  void run() {
    try {
      PodTrace.step(
          StepKind.RECORD,
          "record the container before it is created",
          () -> context.store().put(record));
      Path rootfs =
          PodTrace.step(
              StepKind.CONTAINER,
              () -> "prepare the root file system",
              () -> context.rootfs().prepare(record.id(), image));
      RuntimeSpec spec =
          PodTrace.step(StepKind.CONTAINER, () -> "write the specification", () -> specify(rootfs));
      makeLogDirectory();
      Started started =
          PodTrace.step(
              StepKind.CONTAINER,
              () -> "create (%s)".formatted(context.settings().runtime().getFileName()),
              () -> context.conmon().create(record.id(), record.config(), record.logPath()));
      record = record.created(started.process(), started.monitor(), spec.user());
      PodTrace.step(StepKind.RECORD, "created", () -> context.store().put(record));
      context.publish(ContainerEvent.Kind.CREATED, record);
    } catch (RuntimeException e) {
      throw undo(e);
    }
  }

  private RuntimeSpec specify(Path rootfs) {
    Path bundle = StateFiles.privateFolder(context.conmon().bundle(record.id()));
    RuntimeSpec spec =
        RuntimeSpec.of(
            new SpecRequest(
                sandbox,
                record.config(),
                image,
                rootfs,
                bundle,
                context.store().volumes(record.id()),
                cgroup.forRuntime(),
                targetPid,
                hostPaths,
                context.settings().seccompProfile()));
    StateFiles.write(
        bundle.resolve("config.json"), Json.compactBytes(spec.json()), Durability.PROCESS);
    return spec;
  }

  private void makeLogDirectory() {
    if (record.logPath().isEmpty()) {
      return;
    }
    Path directory = Path.of(record.logPath()).toAbsolutePath().getParent();
    try {
      if (directory != null) {
        Files.createDirectories(directory);
      }
    } catch (IOException e) {
      throw StateFiles.failed("make the log directory", Path.of(record.logPath()), e);
    }
  }

  private SandboxException undo(RuntimeException failure) {
    boolean interrupted = Thread.interrupted();
    Reason reason = failure instanceof SandboxException known ? known.reason() : Reason.FAILED;
    String left = "";
    try {
      PodTrace.step(
          StepKind.ROLLBACK,
          "undo what was created",
          () -> new ContainerEnd(context, record).removeUnfinished());
    } catch (RuntimeException e) {
      left = "; cleaning up failed, too: " + SandboxException.text(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return new SandboxException(reason, SandboxException.text(failure) + left, failure);
  }

  /** Whether a repeated request is about this container. */
  static boolean isSame(StoredContainer record, ContainerConfig config, ContainerImage image) {
    return record.phase() == Phase.CREATED
        && record.config().equals(config)
        && record.imageId().equals(image.id());
  }

  static boolean sharesTarget(ContainerConfig config) {
    return config.security().pid() == NamespaceMode.TARGET;
  }
}
