package io.ocicat.sandbox.pods;

import io.ocicat.base.BootId;
import io.ocicat.base.Quoted;
import io.ocicat.ip.IpAddress;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerSandbox;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.PreparedContainer;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.network.PodAttachment;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.store.ContainerRecord;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.store.SandboxRecord.Phase;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The pod sandboxes of a machine: what kubelet asks a container runtime for, except images. All
 * state is in files, so any number of processes can use them, one after the other or concurrently.
 *
 * <p>Operations on one sandbox exclude each other. Thread-safe.
 */
public final class PodSandboxes {
  private static final int ID_BYTES = 32;
  private static final Pattern CONTAINER_NAME =
      Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  private final SandboxContext context;
  private final SecureRandom random = new SecureRandom();

  /** Sandboxes whose containers, if they have any, are left to others. */
  public PodSandboxes(SandboxSettings settings, PodNetworks networks) {
    this.context = SandboxContext.of(settings, networks, Optional.empty());
  }

  /**
   * @param containers stopped and removed with their sandboxes
   */
  public PodSandboxes(SandboxSettings settings, PodNetworks networks, Containers containers) {
    this.context = SandboxContext.of(settings, networks, Optional.of(containers));
  }

  /**
   * Cleans up after killed processes. Call it at the start, before anything else; work of other
   * processes is not disturbed.
   *
   * @return what could not be cleaned up, one line each
   */
  public List<String> recover() {
    return traced(new PodTrace(), "recover", () -> new SandboxRecovery(context).all());
  }

  /** Cleans up sandboxes whose run was never finished, which costs next to nothing. */
  public List<String> recoverUnfinished() {
    return traced(new PodTrace(), "recover", () -> new SandboxRecovery(context).unfinished());
  }

  /** Runs a sandbox and returns its id. */
  public String run(PodConfig config, String handler) {
    return run(config, handler, false, new PodTrace());
  }

  /**
   * Runs a sandbox. When this returns, the sandbox is ready; when it throws, nothing is left of it,
   * unless the message says so.
   *
   * @param handler which of the settings' infras; empty for the first
   * @param onlyOne whether the pod may have no other sandbox, not even a stopped one
   * @param trace records the steps
   * @return its id
   */
  public String run(PodConfig config, String handler, boolean onlyOne, PodTrace trace) {
    config.check();
    String id = newId();
    return traced(
        trace,
        "run " + config.metadata().pod(),
        () -> {
          RunSandbox run = new RunSandbox(context, id, config, handler, onlyOne);
          return locked(id, () -> run.run().id());
        });
  }

  private String newId() {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Stops a sandbox; see {@link #stop(String, PodTrace)}. */
  public void stop(String id) {
    stop(id, new PodTrace());
  }

  /**
   * Ends the processes of a sandbox and tears its network down. Succeeds when that was done before,
   * and when the sandbox does not exist.
   *
   * @param id or a unique prefix of it
   */
  public void stop(String id, PodTrace trace) {
    takeDown("stop", id, trace, StopSandbox::stop);
  }

  public void remove(String id) {
    remove(id, new PodTrace());
  }

  /** Stops a sandbox and deletes its records. Succeeds when it does not exist. */
  public void remove(String id, PodTrace trace) {
    takeDown("remove", id, trace, StopSandbox::remove);
  }

  /**
   * Deletes the records of a sandbox even if it cannot be stopped.
   *
   * @return what could not be torn down and is left behind, one line each
   */
  public List<String> removeByForce(String id, PodTrace trace) {
    List<String> left = new ArrayList<>();
    takeDown("remove", id, trace, takeDown -> left.addAll(takeDown.removeByForce()));
    return left;
  }

  private interface Operation {
    void of(StopSandbox takeDown);
  }

  private void takeDown(String verb, String prefix, PodTrace trace, Operation operation) {
    Optional<String> id = resolve(prefix);
    if (id.isEmpty()) {
      return;
    }
    traced(
        trace,
        verb + " " + id.get(),
        () ->
            locked(
                id.get(),
                () -> {
                  Optional<SandboxRecord> record = known(id.get());
                  if (record.isPresent()) {
                    operation.of(
                        new StopSandbox(context, record.get(), context.settings().cleanUpLimit()));
                  } else {
                    new SandboxRecovery(context).removeOrphan(id.get());
                  }
                  return verb;
                }));
  }

  /** A damaged record counts as missing: checkpoint and cache must suffice then. */
  private Optional<SandboxRecord> known(String id) {
    try {
      return context.store().get(id);
    } catch (SandboxException e) {
      if (e.reason() == Reason.CORRUPT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Returns the current state of a sandbox.
   *
   * @throws SandboxException with {@link Reason#NOT_FOUND} when it does not exist
   */
  public SandboxStatus status(String id) {
    String whole = resolve(id).orElseThrow(() -> unknown(id));
    return context
        .store()
        .get(whole)
        .map(this::status)
        .or(() -> ofCheckpoint(whole))
        .orElseThrow(() -> unknown(id));
  }

  private static SandboxException unknown(String id) {
    return new SandboxException(
        Reason.NOT_FOUND,
        "there is no sandbox %s; see `ocicat pod ls`".formatted(Quoted.brief(id)));
  }

  private SandboxStatus status(SandboxRecord record) {
    boolean held = isReady(record);
    String fault = fault(record);
    boolean ready = held && fault.isEmpty();
    return new SandboxStatus(
        record.id(),
        record.config(),
        ready ? SandboxState.READY : SandboxState.NOTREADY,
        record.createdAt(),
        ready && !record.config().hostNetwork() ? addresses(record) : List.of(),
        record.attachedBy().map(PodAttachment::network).orElse(""),
        record.netns(),
        record.runtimeHandler(),
        record.infra(),
        held ? record.process().pid() : 0,
        record.containers(),
        record.problem().isEmpty() ? fault : record.problem());
  }

  /** Returns why a sandbox that was ready no longer is; empty for one that was stopped. */
  private String fault(SandboxRecord record) {
    if (record.phase() != Phase.READY) {
      return "";
    }
    if (!record.bootId().equals(BootId.current().toString())) {
      return "the machine was restarted";
    }
    if (!context.isHeld(record)) {
      return "the process that held it has ended";
    }
    if (record.netns().isEmpty()) {
      return "";
    }
    return PodNetworks.isNetns(record.netns())
        ? PodNetworks.fault(record.netns(), record.ips())
        : "its network namespace is gone";
  }

  private boolean isReady(SandboxRecord record) {
    return record.phase() == Phase.READY
        && record.bootId().equals(BootId.current().toString())
        && context.isHeld(record)
        && (record.netns().isEmpty() || PodNetworks.isNetns(record.netns()));
  }

  /** The kernel's addresses; else those that the plugins returned. */
  private List<String> addresses(SandboxRecord record) {
    try {
      return context.networks().addresses(record.config().metadata(), record.netns()).stream()
          .map(IpAddress::toString)
          .toList();
    } catch (SandboxException _) {
      return record.ips();
    }
  }

  private Optional<SandboxStatus> ofCheckpoint(String id) {
    return context
        .store()
        .checkpoints()
        .getOrDiscard(id)
        .map(checkpoint -> new PodMetadata(checkpoint.name(), checkpoint.namespace(), "", 0))
        .map(
            metadata ->
                new SandboxStatus(
                    id,
                    PodConfig.of(metadata).build(),
                    SandboxState.NOTREADY,
                    context.store().checkpoints().time(id),
                    List.of(),
                    "",
                    "",
                    "",
                    "",
                    0,
                    List.of(),
                    ""));
  }

  /**
   * Returns all sandboxes that match the filter, the newest first, except those with damaged
   * records.
   */
  public List<SandboxStatus> list(SandboxFilter filter) {
    // Checkpoints first: a sandbox created meanwhile is found by its record as well.
    List<String> checkpoints = context.store().checkpoints().list();
    List<SandboxStatus> found = new ArrayList<>();
    List<String> ids = context.store().ids();
    for (String id : ids) {
      if (id.startsWith(filter.id())) {
        known(id).map(this::status).filter(filter::matches).ifPresent(found::add);
      }
    }
    found.sort(Comparator.comparingLong(SandboxStatus::createdAt).reversed());
    if (filter.equals(SandboxFilter.ALL)) {
      checkpoints.stream()
          .filter(id -> !ids.contains(id))
          .flatMap(id -> ofCheckpoint(id).stream())
          .forEach(found::add);
    }
    return found;
  }

  /**
   * Returns all sandboxes that match the filter, the newest first: what CRI lists each second. No
   * record is read that has not changed, and no network is looked at.
   */
  public List<SandboxItem> items(SandboxFilter filter) {
    String bootId = BootId.current().toString();
    Set<String> checkpoints = new LinkedHashSet<>(context.store().checkpoints().list());
    List<SandboxItem> found = new ArrayList<>();
    List<String> ids = context.store().ids();
    checkpoints.removeAll(ids);
    for (String id : ids) {
      if (id.startsWith(filter.id())) {
        known(id).map(record -> item(record, bootId)).filter(filter::matches).ifPresent(found::add);
      }
    }
    found.sort(Comparator.comparingLong(SandboxItem::createdAt).reversed());
    if (filter.equals(SandboxFilter.ALL)) {
      // So that whoever lists can remove them.
      checkpoints.stream()
          .flatMap(id -> ofCheckpoint(id).stream())
          .map(
              left -> new SandboxItem(left.id(), left.config(), left.state(), left.createdAt(), ""))
          .forEach(found::add);
    }
    return found;
  }

  private SandboxItem item(SandboxRecord record, String bootId) {
    boolean ready =
        record.phase() == Phase.READY && record.bootId().equals(bootId) && context.isHeld(record);
    return new SandboxItem(
        record.id(),
        record.config(),
        ready ? SandboxState.READY : SandboxState.NOTREADY,
        record.createdAt(),
        record.runtimeHandler());
  }

  /**
   * Creates a container in a sandbox, without starting it.
   *
   * @param request the request as it came, kept with the container
   * @return its id
   */
  public String createContainer(
      String sandbox, ContainerConfig config, ContainerImage image, byte[] request) {
    Containers containers =
        context
            .containers()
            .orElseThrow(
                () -> new SandboxException(Reason.UNSUPPORTED, "containers are not configured"));
    PreparedContainer prepared = containers.prepare(config);
    String whole = resolve(sandbox).orElseThrow(() -> unknown(sandbox));
    return traced(
        new PodTrace(),
        "create container " + config.metadata().name(),
        () ->
            locked(
                whole,
                () -> containers.create(forContainers(ready(whole)), prepared, image, request)));
  }

  private ContainerSandbox forContainers(SandboxRecord record) {
    if (!context.infra(record.infra()).holdsNamespaces()) {
      throw new SandboxException(
          Reason.NOT_READY,
          "sandbox %s has no infra process whose namespaces containers could share: run the pod with runc"
              .formatted(record.id().substring(0, 13)));
    }
    return new ContainerSandbox(
        record.id(),
        record.config(),
        record.netns(),
        record.process().pid(),
        record.ips(),
        context.store().folder(record.id()).resolve(PodProcess.RESOLV_CONF),
        record.config().ipc() == NamespaceMode.NODE
            ? ""
            : context.sharedMemory().pathOf(record.id()).toString());
  }

  /** The ids of a pod's sandboxes. */
  public List<String> ofPod(String namespace, String name) {
    return context.store().ofPod(namespace, name).stream().filter(context.store()::exists).toList();
  }

  /**
   * Starts a program in the sandbox, in the background: a container of the pod as far as its
   * network is concerned. It ends with the sandbox.
   */
  public ContainerRecord start(String id, String name, List<String> command) {
    if (!CONTAINER_NAME.matcher(name).matches()) {
      throw new SandboxException(
          Reason.INVALID,
          "%s cannot be the name of a container: use lower-case letters, digits and -, at most 63"
              .formatted(Quoted.brief(name)));
    }
    String whole = resolve(id).orElseThrow(() -> unknown(id));
    return locked(
        whole,
        () -> {
          SandboxRecord record = ready(whole);
          boolean taken =
              record.containers().stream()
                  .anyMatch(other -> other.name().equals(name) && other.process().isAlive());
          if (taken) {
            throw new SandboxException(
                Reason.EXISTS,
                "pod %s has a container %s already; give this one another name"
                    .formatted(record.config().metadata().pod(), name));
          }
          ContainerRecord container =
              new ContainerRecord(
                  name,
                  PodProcess.start(record, context.store().folder(whole), name, command),
                  command);
          context.store().put(record.container(container));
          return container;
        });
  }

  /** Returns the command line that runs a program in the sandbox's namespaces. */
  public List<String> commandIn(String id, List<String> command) {
    String whole = resolve(id).orElseThrow(() -> unknown(id));
    return PodProcess.argv(ready(whole), context.store().folder(whole), command);
  }

  private SandboxRecord ready(String id) {
    SandboxRecord record = context.store().get(id).orElseThrow(() -> unknown(id));
    if (!isReady(record)) {
      throw new SandboxException(
          Reason.NOT_READY,
          "sandbox %s of pod %s is not ready: remove it and run the pod again"
              .formatted(id.substring(0, 13), record.config().metadata().pod()));
    }
    return record;
  }

  /**
   * Completes an id prefix.
   *
   * @return empty when no sandbox has it
   * @throws SandboxException with {@link Reason#AMBIGUOUS} when several have
   */
  public Optional<String> resolve(String prefix) {
    if (prefix.isEmpty()) {
      throw new SandboxException(Reason.INVALID, "the id of a sandbox is missing");
    }
    Set<String> known = new LinkedHashSet<>(context.store().ids());
    known.addAll(context.store().checkpoints().list());
    if (known.contains(prefix)) {
      return Optional.of(prefix);
    }
    List<String> matching = known.stream().filter(id -> id.startsWith(prefix)).toList();
    if (matching.size() > 1) {
      throw new SandboxException(
          Reason.AMBIGUOUS,
          "%d sandboxes have an id that begins with %s: use a longer prefix"
              .formatted(matching.size(), Quoted.brief(prefix)));
    }
    return matching.stream().findFirst();
  }

  private <T> T locked(String id, Supplier<T> work) {
    try (KeyedLocks.Held _ =
        PodTrace.step(
            StepKind.LOCK,
            () -> "lock sandbox " + id,
            () -> context.sandboxLocks().hold(id, context.settings().timeout()))) {
      return work.get();
    }
  }

  private <T> T traced(PodTrace trace, String what, Supplier<T> work) {
    return trace
        .at(context.settings().points())
        .record(() -> PodTrace.step(StepKind.SANDBOX, () -> what, work));
  }
}
