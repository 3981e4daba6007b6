package io.ocicat.sandbox.container.life;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.cgroup.CgroupUsage;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.ContainerEvents;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerIo;
import io.ocicat.sandbox.container.ContainerSandbox;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.ContainerUsage;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.ExecResult;
import io.ocicat.sandbox.container.PreparedContainer;
import io.ocicat.sandbox.container.RootFilesystems;
import io.ocicat.sandbox.container.conmon.AttachIo;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.container.oci.HostPaths;
import io.ocicat.sandbox.container.oci.ResourcesSpec;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Containers of an OCI runtime, each with a conmon as its monitor. All state is in files, so any
 * number of processes can use them, one after the other or concurrently.
 */
public final class ConmonContainers implements Containers {
  private static final int ID_BYTES = 32;

  private final ContainerContext context;
  private final ContainerIndex index;
  private final StopTasks stops;
  private final SecureRandom random = new SecureRandom();
  private final AtomicReference<@Nullable ExitWatch> watch = new AtomicReference<>();

  public ConmonContainers(ContainerSettings settings, RootFilesystems rootfs) {
    this.context = ContainerContext.of(settings, rootfs);
    this.index = new ContainerIndex(context);
    this.stops = new StopTasks(context);
  }

  @Override
  public PreparedContainer prepare(ContainerConfig config) {
    config.check();
    Map<String, Path> paths = new HashMap<>();
    config.mounts().forEach(mount -> paths.computeIfAbsent(mount.hostPath(), HostPaths::resolve));
    config
        .devices()
        .forEach(device -> paths.computeIfAbsent(device.hostPath(), HostPaths::resolve));
    return new PreparedContainer(config, paths);
  }

  @Override
  public String create(
      ContainerSandbox sandbox, PreparedContainer container, ContainerImage image, byte[] request) {
    Optional<String> earlier = repeated(sandbox, container.config(), image);
    if (earlier.isPresent()) {
      return earlier.get();
    }
    long targetPid =
        CreateContainer.sharesTarget(container.config())
            ? target(sandbox.id(), container.config().security().targetId())
            : 0;
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = HexFormat.of().formatHex(bytes);
    return context.traced(
        () -> {
          try (KeyedLocks.Held _ = context.lock(id)) {
            new CreateContainer(context, id, sandbox, container, image, request, targetPid).run();
          }
          return id;
        });
  }

  /**
   * A client whose deadline passed repeats its request, and must not fail because the name is
   * taken.
   */
  private Optional<String> repeated(
      ContainerSandbox sandbox, ContainerConfig config, ContainerImage image) {
    for (StoredContainer other : index.records(sandbox.id())) {
      if (!other.config().metadata().equals(config.metadata())) {
        continue;
      }
      if (other.phase() == Phase.CREATING) {
        // Its creator was killed: whoever creates here holds the lock of the sandbox.
        ending(other.id(), ContainerEnd::removeUnfinished);
      } else if (CreateContainer.isSame(other, config, image) && context.isAlive(other)) {
        return Optional.of(other.id());
      } else {
        throw new SandboxException(
            Reason.EXISTS,
            "container %s, attempt %d, exists already in the sandbox: %s is %s; remove it first"
                .formatted(
                    Quoted.brief(config.metadata().name()),
                    config.metadata().attempt(),
                    other.id().substring(0, 13),
                    other.phase()));
      }
    }
    return Optional.empty();
  }

  private long target(String sandboxId, String targetId) {
    StoredContainer target = index.running(targetId, "share the PID namespace of");
    if (!target.sandboxId().equals(sandboxId)) {
      throw new SandboxException(
          Reason.INVALID,
          "container %s is of another sandbox: its PID namespace cannot be shared"
              .formatted(Quoted.brief(targetId)));
    }
    return target.process().pid();
  }

  @Override
  public void start(String prefix) {
    String id = index.resolve(prefix).orElseThrow(() -> ContainerIndex.unknown(prefix));
    context.traced(
        () ->
            locked(
                id,
                record -> {
                  start(record);
                  return id;
                }));
  }

  private void start(StoredContainer record) {
    ContainerEnd end = new ContainerEnd(context, record);
    if (record.phase() != Phase.CREATED || end.settle()) {
      throw new SandboxException(
          Reason.NOT_READY,
          "container %s cannot be started: it is %s, not created"
              .formatted(record.id().substring(0, 13), end.record().state()));
    }
    PodTrace.step(
        StepKind.RECORD, "starting", () -> context.store().put(record.phase(Phase.STARTING)));
    try {
      PodTrace.step(
          StepKind.CONTAINER, "start " + record.id(), () -> context.runtime().start(record.id()));
    } catch (SandboxException e) {
      end.failedToStart(SandboxException.text(e));
      throw e;
    }
    StoredContainer running = record.running(context.now());
    PodTrace.step(StepKind.RECORD, "running", () -> context.store().put(running));
    context.publish(ContainerEvent.Kind.STARTED, running);
  }

  @Override
  public void stop(String prefix, Duration timeout) {
    Optional<String> id = index.resolve(prefix);
    if (id.isPresent()
        && context.readable(id.get()).filter(it -> it.phase() != Phase.EXITED).isPresent()) {
      stops.stop(id.get(), timeout);
    }
  }

  @Override
  public void remove(String prefix) {
    index.resolve(prefix).ifPresent(this::removeWhole);
  }

  private void removeWhole(String id) {
    context.traced(
        () -> {
          try (KeyedLocks.Held _ = context.lock(id)) {
            Optional<StoredContainer> record = context.readable(id);
            if (record.isPresent()) {
              ContainerEnd end = new ContainerEnd(context, record.get());
              if (record.get().phase() == Phase.CREATING) {
                end.removeUnfinished();
              } else {
                end.remove();
              }
            } else {
              new ContainerRecovery(context).removeOrphan(id);
            }
            return id;
          }
        });
  }

  @Override
  public void stopAll(String sandboxId) {
    ContainerContext.allOf(
        index.records(sandboxId).stream()
            .map(record -> (Runnable) () -> ending(record.id(), this::killOrDiscard))
            .toArray(Runnable[]::new));
  }

  private void killOrDiscard(ContainerEnd end) {
    if (end.record().phase() == Phase.CREATING) {
      end.removeUnfinished();
    } else {
      end.kill();
    }
  }

  @Override
  public void removeAll(String sandboxId) {
    ContainerContext.allOf(
        index.records(sandboxId).stream()
            .map(record -> (Runnable) () -> removeWhole(record.id()))
            .toArray(Runnable[]::new));
  }

  /** Under the lock of a container that may be gone meanwhile. */
  private void ending(String id, Consumer<ContainerEnd> work) {
    context.traced(
        () -> {
          try (KeyedLocks.Held _ = context.lock(id)) {
            context
                .readable(id)
                .ifPresent(record -> work.accept(new ContainerEnd(context, record)));
            return id;
          }
        });
  }

  @Override
  public ContainerStatus status(String prefix) {
    return status(index.settled(index.find(prefix)));
  }

  private ContainerStatus status(StoredContainer record) {
    return record.status(context.conmon().bundle(record.id()).toString());
  }

  @Override
  public List<ContainerStatus> list(ContainerFilter filter) {
    List<ContainerStatus> found = new ArrayList<>();
    for (String id : context.store().ids()) {
      if (id.startsWith(filter.id())) {
        context
            .readable(id)
            .filter(record -> record.phase() != Phase.CREATING)
            .map(record -> status(index.settled(record)))
            .filter(filter::matches)
            .ifPresent(found::add);
      }
    }
    found.sort(Comparator.comparingLong(ContainerStatus::createdAt).reversed());
    return found;
  }

  @Override
  public ContainerUsage usage(String prefix) {
    StoredContainer record = index.find(prefix);
    return usage(record)
        .orElseThrow(
            () ->
                new SandboxException(
                    Reason.NOT_FOUND,
                    "container %s does not run: it has no statistics"
                        .formatted(Quoted.brief(prefix))));
  }

  @Override
  public List<ContainerUsage> usages(ContainerFilter filter) {
    return list(filter).stream()
        .filter(container -> container.state() == ContainerState.RUNNING)
        .flatMap(container -> context.readable(container.id()).flatMap(this::usage).stream())
        .toList();
  }

  private Optional<ContainerUsage> usage(StoredContainer record) {
    RootFilesystems.LayerUsage layer = context.rootfs().usage(record.id());
    return CgroupUsage.of(record.group())
        .map(
            usage ->
                new ContainerUsage(
                    status(record),
                    context.now(),
                    usage.cpuNanos(),
                    usage.memory(),
                    usage.workingSet(),
                    usage.available(),
                    usage.rss(),
                    usage.pageFaults(),
                    usage.majorPageFaults(),
                    usage.swap(),
                    usage.swapAvailable(),
                    layer.bytes(),
                    layer.inodes()));
  }

  @Override
  public void update(String prefix, LinuxResources resources) {
    String id = index.find(prefix).id();
    locked(
        id,
        record -> {
          if (record.phase() == Phase.EXITED || !context.isAlive(record)) {
            throw new SandboxException(
                Reason.NOT_READY,
                "container %s has exited: its limits cannot be changed"
                    .formatted(id.substring(0, 13)));
          }
          context.store().put(record.limited(record.resources().updatedBy(resources)));
          try {
            context.runtime().update(id, Json.compactBytes(ResourcesSpec.of(resources)));
          } catch (SandboxException e) {
            context.store().put(record);
            throw e;
          }
          return true;
        });
  }

  @Override
  public void reopenLog(String prefix) {
    StoredContainer record = index.running(prefix, "reopen the log of");
    if (record.logPath().isEmpty()) {
      throw new SandboxException(
          Reason.NOT_READY, "container %s has no log".formatted(Quoted.brief(prefix)));
    }
    LogRotation.reopen(context.conmon(), record.id(), Path.of(record.logPath()));
  }

  @Override
  public ExecResult execSync(String prefix, List<String> command, Duration timeout) {
    return context
        .execs()
        .runToEnd(index.running(prefix, "run a command in").id(), checked(command), timeout);
  }

  @Override
  public ContainerIo exec(String prefix, List<String> command, boolean tty, boolean stdin) {
    return context
        .execs()
        .start(index.running(prefix, "run a command in").id(), checked(command), tty, stdin);
  }

  private static List<String> checked(List<String> command) {
    if (command.isEmpty() || command.stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
      throw new SandboxException(Reason.INVALID, "the command is missing or contains NUL");
    }
    return command;
  }

  @Override
  public ContainerIo attach(String prefix, boolean stdin) {
    StoredContainer record = index.running(prefix, "attach to");
    return AttachIo.connect(context.conmon(), record.id(), stdin && record.config().stdin());
  }

  @Override
  public ContainerEvents events() {
    return context.events();
  }

  @Override
  public List<String> recover() {
    return context.traced(() -> new ContainerRecovery(context).run());
  }

  @Override
  public void watch() {
    ExitWatch started = ExitWatch.start(context.conmon().exits(), this::lookAt, this::lookAtAll);
    ExitWatch before = watch.getAndSet(started);
    if (before != null) {
      before.close();
    }
  }

  /** Waits for whoever works on it: an exit that nobody notices would never be published. */
  private void lookAt(String id) {
    try (KeyedLocks.Held _ = context.lock(id)) {
      context
          .readable(id)
          .filter(record -> record.phase() == Phase.RUNNING || record.phase() == Phase.CREATED)
          .ifPresent(record -> context.traced(() -> new ContainerEnd(context, record).settle()));
    } catch (SandboxException _) {
      // The next caller gets the same failure.
    }
  }

  private void lookAtAll() {
    try {
      for (String id : context.store().ids()) {
        context
            .readable(id)
            .filter(record -> record.phase() == Phase.RUNNING)
            .ifPresent(index::settled);
      }
    } catch (SandboxException _) {
      // The next caller gets the same failure.
    }
  }

  @Override
  public void close() {
    ExitWatch started = watch.getAndSet(null);
    if (started != null) {
      started.close();
    }
  }

  private <T> T locked(String id, Function<StoredContainer, T> work) {
    try (KeyedLocks.Held _ = context.lock(id)) {
      return work.apply(context.store().get(id).orElseThrow(() -> ContainerIndex.unknown(id)));
    }
  }
}
