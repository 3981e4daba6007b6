package io.ocicat.sandbox.pods;

import io.ocicat.base.BootId;
import io.ocicat.cni.Result;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.network.PodAttachment;
import io.ocicat.sandbox.store.Checkpoint;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.store.SandboxRecord.NetworkPhase;
import io.ocicat.sandbox.store.SandboxRecord.Phase;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Creates one sandbox, with the steps of createPodSandbox in dockershim's order. After a failure,
 * everything that was created is removed again, with a timeout of its own.
 */
final class RunSandbox {
  private static final Map<String, String> UNPRIVILEGED =
      Map.of(
          "net.ipv4.ip_unprivileged_port_start", "0", "net.ipv4.ping_group_range", "0 2147483647");

  private final SandboxContext context;
  private final PodInfra infra;
  private final boolean onlyOne;
  private SandboxRecord record;

  /**
   * @param onlyOne whether the pod may have no other sandbox
   */
  RunSandbox(SandboxContext context, String id, PodConfig config, String handler, boolean onlyOne) {
    this.context = context;
    this.infra = context.infra(handler);
    this.onlyOne = onlyOne;
    this.record =
        new SandboxRecord(
            id,
            SandboxContext.nanos(context.settings().clock().instant()),
            BootId.current().toString(),
            config,
            handler,
            Phase.CREATING,
            NetworkPhase.NONE,
            config.hostNetwork()
                ? ""
                : context.namespaces().pathOf(SandboxContext.netnsName(id)).toString(),
            infra.kind(),
            ProcessId.NONE,
            null,
            List.of(),
            List.of(),
            ownsLogs(config),
            "");
  }

  private static boolean ownsLogs(PodConfig config) {
    return !config.logDirectory().isEmpty() && Files.notExists(Path.of(config.logDirectory()));
  }

  /** Called under the sandbox's lock. */
  SandboxRecord run() {
    infra.check(record.config());
    context.store().markBegun(record.id(), record.config().metadata());
    try {
      reserveName();
      PodTrace.step(StepKind.RECORD, "record the sandbox before it is created", this::keep);
      makeLogDirectory();
      PodTrace.step(
          StepKind.CHECKPOINT,
          "write the checkpoint",
          () -> context.store().checkpoints().put(record.id(), Checkpoint.of(record.config())));
      makeNamespace();
      makeSharedMemory();
      startInfra();
      writeResolvConf();
      if (!record.config().hostNetwork()) {
        setUpNetwork();
      }
      record = record.phase(Phase.READY);
      PodTrace.step(StepKind.RECORD, "ready", this::keep);
      context.store().unmarkBegun(record.id());
      context.publish(ContainerEvent.Kind.CREATED, record.id());
      context.publish(ContainerEvent.Kind.STARTED, record.id());
      return record;
    } catch (RuntimeException e) {
      throw undo(e);
    }
  }

  private void keep() {
    context.store().put(record);
  }

  private void reserveName() {
    PodMetadata pod = record.config().metadata();
    PodTrace.step(
        StepKind.NAME,
        "reserve " + pod.containerName(),
        () -> {
          try (KeyedLocks.Held _ =
              context.nameLocks().hold(pod.podKey(), context.settings().timeout())) {
            if (onlyOne) {
              context.store().ofPod(pod.namespace(), pod.name()).stream()
                  .filter(id -> !isGone(id))
                  .findFirst()
                  .ifPresent(id -> refuse(pod.pod(), id));
            }
            context
                .store()
                .reserve(pod, record.id(), this::isGone)
                .ifPresent(id -> refuse(pod.containerName(), id));
          }
        });
  }

  private static void refuse(String name, String id) {
    throw new SandboxException(
        Reason.EXISTS,
        "pod %s exists already: sandbox %s has its name; remove that one first"
            .formatted(name, id.substring(0, Math.min(13, id.length()))));
  }

  /** A name without a record is from a process that was killed in between. */
  private boolean isGone(String id) {
    if (!context.store().isId(id)) {
      return true;
    }
    if (context.store().exists(id)) {
      return false;
    }
    Optional<KeyedLocks.Held> nobody = context.sandboxLocks().tryHold(id);
    nobody.ifPresent(KeyedLocks.Held::close);
    return nobody.isPresent();
  }

  private void makeLogDirectory() {
    String directory = record.config().logDirectory();
    if (directory.isEmpty()) {
      return;
    }
    PodTrace.step(
        StepKind.LOGS,
        "make " + directory,
        () -> {
          try {
            Files.createDirectories(Path.of(directory));
          } catch (IOException e) {
            throw StateFiles.failed("make the log directory", Path.of(directory), e);
          }
        });
  }

  private void makeNamespace() {
    if (record.netns().isEmpty()) {
      return;
    }
    try (NetNs namespace =
        PodTrace.step(
            StepKind.NETNS,
            () -> "make " + record.netns(),
            () -> context.namespaces().create(SandboxContext.netnsName(record.id())))) {
      Map<String, String> sysctls = record.config().sysctls().ofNetwork();
      if (infra.holdsNamespaces()) {
        permitUnprivileged(namespace, sysctls.keySet());
      }
      if (!sysctls.isEmpty()) {
        PodTrace.step(
            StepKind.SYSCTL,
            "set " + String.join(", ", sysctls.keySet()),
            () -> sysctls.forEach((name, value) -> Sysctl.parse(name).writeIn(namespace, value)));
      }
    }
  }

  /**
   * A container that is not root's may use ports below 1024 and ping, as with other runtimes: the
   * namespace is the pod's alone. Where this is not permitted, it is done without.
   */
  private static void permitUnprivileged(NetNs namespace, Set<String> given) {
    UNPRIVILEGED.forEach(
        (name, value) -> {
          if (!given.contains(name)) {
            try {
              Sysctl.parse(name).writeIn(namespace, value);
            } catch (RuntimeException _) {
              // In a user namespace not all groups exist.
            }
          }
        });
  }

  private void makeSharedMemory() {
    if (infra.holdsNamespaces() && record.config().ipc() != NamespaceMode.NODE) {
      PodTrace.step(
          StepKind.SHM,
          "mount " + context.sharedMemory().pathOf(record.id()),
          () -> context.sharedMemory().create(record.id()));
    }
  }

  private void startInfra() {
    PodTrace.step(
        StepKind.INFRA,
        "create (%s)".formatted(infra.kind()),
        () -> record = record.process(infra.create(context.held(record))));
    PodTrace.step(
        StepKind.INFRA,
        "start (%s)".formatted(infra.kind()),
        () -> infra.start(context.held(record), record.process()));
  }

  private void writeResolvConf() {
    Path file = context.store().folder(record.id()).resolve(PodProcess.RESOLV_CONF);
    PodTrace.step(
        StepKind.RESOLV,
        "write resolv.conf",
        () -> {
          try {
            byte[] text =
                record
                    .config()
                    .dnsConfig()
                    .filter(dns -> !dns.isEmpty())
                    .map(DnsConfig::resolvConf)
                    .map(said -> said.getBytes(StandardCharsets.UTF_8))
                    .orElseGet(this::hostsResolvConf);
            Files.write(file, text);
          } catch (IOException e) {
            throw StateFiles.failed("write", file, e);
          }
        });
  }

  private byte[] hostsResolvConf() {
    Path file = context.settings().resolvConf();
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException _) {
      return new byte[0];
    } catch (IOException e) {
      throw StateFiles.failed("read", file, e);
    }
  }

  /** The plan is stored before it is carried out, so that it can be undone whatever happens. */
  private void setUpNetwork() {
    PodTrace.step(
        StepKind.NETWORK,
        "set up the pod's network",
        () -> {
          PodAttachment plan =
              context
                  .networks()
                  .plan(
                      record.id(),
                      record.netns(),
                      record.config(),
                      infra.cgroup(record.id(), record.config()));
          record = record.attaching(plan);
          PodTrace.step(StepKind.RECORD, "attaching to " + plan.network(), this::keep);
          if (context.settings().cluster().isNeeded(plan)) {
            PodTrace.step(
                StepKind.CLUSTER,
                "publish the pod in the datastore",
                () -> context.settings().cluster().publish(record.config(), plan));
          }
          Result result = context.networks().setUp(plan);
          List<String> ips =
              result.ips().stream().map(ip -> ip.address().address().toString()).toList();
          if (ips.isEmpty()) {
            throw new SandboxException(
                Reason.FAILED,
                "network %s gave pod %s no address"
                    .formatted(plan.network(), record.config().metadata().pod()));
          }
          record = record.attached(ips);
        });
  }

  /** Undoes everything, even when the thread was interrupted: that may be what failed. */
  private SandboxException undo(RuntimeException failure) {
    boolean interrupted = Thread.interrupted();
    String id = record.id();
    Reason reason = failure instanceof SandboxException known ? known.reason() : Reason.FAILED;
    try {
      PodTrace.step(
          StepKind.ROLLBACK,
          "undo what was created",
          () -> new StopSandbox(context, record, context.settings().cleanUpLimit()).remove());
      return new SandboxException(reason, SandboxException.text(failure), failure);
    } catch (RuntimeException left) {
      context.store().unmarkBegun(id);
      return new SandboxException(
          reason,
          "%s; cleaning up failed, too: %s; sandbox %s stays until it is removed"
              .formatted(SandboxException.text(failure), SandboxException.text(left), id),
          failure);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
