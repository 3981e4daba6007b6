package io.ocicat.sandbox.network;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.Capability;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.Result;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import io.ocicat.cni.runtime.Validation;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.network.DefaultNetwork.Chosen;
import io.ocicat.sandbox.network.NetworkSettings.Loopback;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import io.ocicat.sandbox.trace.TracedExec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Attaches pods to their networks and detaches them, as kubelet's network plugin {@code cni} and
 * its manager do.
 *
 * <p>Operations on one pod exclude each other, among threads and among processes; different pods do
 * not wait for each other. Thread-safe.
 */
public final class PodNetworks {
  private static final String LOOPBACK_LIST =
      "{\"cniVersion\":\"0.3.1\",\"name\":\"cni-loopback\",\"plugins\":[{\"type\":\"loopback\"}]}";

  private final NetworkSettings settings;
  private final Cni cni;
  private final DefaultNetwork defaultNetwork;
  private final KeyedLocks locks;
  private volatile List<IpPrefix> podCidrs = List.of();

  public PodNetworks(NetworkSettings settings) {
    this.settings = settings;
    this.cni =
        Cni.builder()
            .confDirectory(settings.confDirectory())
            .pluginPath(settings.pluginPath())
            .cacheDirectory(settings.cacheDirectory())
            .environment(settings.environment())
            .exec(new TracedExec(settings.exec()))
            .pluginLog(settings.pluginLog())
            .timeLimit(settings.setUpLimit())
            .delContinuesOnFailure(true)
            .warnings(settings.warnings())
            .build();
    this.defaultNetwork = new DefaultNetwork(cni, settings.confDirectory(), settings.clock());
    this.locks = new KeyedLocks(settings.lockFolder().resolve("pods.lock"), "pod");
    refresh();
  }

  /** Reads the configuration directory again: whoever runs for long calls it when that changes. */
  public void refresh() {
    defaultNetwork.refresh();
  }

  /**
   * Sets the address ranges of the node's pods, separated by commas. The first call counts until
   * the process ends, as in kubelet.
   *
   * @throws SandboxException when one is not a prefix
   */
  public synchronized void podCidrs(String text) {
    if (text.isBlank() || !podCidrs.isEmpty()) {
      return;
    }
    List<IpPrefix> prefixes = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      prefixes.add(
          IpPrefix.tryParse(each.strip())
              .orElseThrow(
                  () ->
                      new SandboxException(
                          Reason.INVALID,
                          "pod CIDR %s of %s is not a prefix such as 10.65.0.0/24"
                              .formatted(Quoted.brief(each.strip()), Quoted.brief(text)))));
    }
    podCidrs = List.copyOf(prefixes);
  }

  /** Returns whether the network is ready; plugins of version 1.1.0 and later are asked as well. */
  public NetworkStatus status() {
    DefaultNetwork.Outcome outcome = defaultNetwork.outcome();
    Chosen chosen = outcome.chosen();
    String why = notReady(outcome);
    if (why.isEmpty() && chosen != null) {
      try {
        chosen.network().status();
      } catch (CniException e) {
        why = SandboxException.text(e);
      }
    }
    return new NetworkStatus(
        why.isEmpty(),
        why,
        chosen == null ? "" : chosen.network().name(),
        chosen == null ? "" : chosen.file().toString(),
        outcome.problems());
  }

  private String notReady(DefaultNetwork.Outcome outcome) {
    Chosen chosen = outcome.chosen();
    if (chosen == null || (settings.forgetful() && !outcome.failure().isEmpty())) {
      return "cni config uninitialized: %s%s"
          .formatted(
              outcome.failure(),
              outcome.problems().isEmpty()
                  ? "; put a network's configuration there"
                  : " (%s)".formatted(String.join("; ", outcome.problems())));
    }
    return needsCidrs(chosen.capabilities())
        ? "cni config needs ipRanges but no pod CIDR set: network %s in %s"
            .formatted(chosen.network().name(), chosen.file())
        : "";
  }

  private boolean needsCidrs(Set<String> capabilities) {
    return capabilities.contains(Capability.IP_RANGES) && podCidrs.isEmpty();
  }

  /**
   * Decides how a pod will be attached, without doing anything.
   *
   * @param cgroupPath the cgroup of its processes; empty for none
   * @throws SandboxException when the network is not ready, or none of that name exists
   */
  public PodAttachment plan(String sandboxId, String netns, PodConfig config, String cgroupPath) {
    Network network = network(config.networkName());
    return new PodAttachment(
        config.metadata(),
        sandboxId,
        netns,
        network.config().toJson(),
        CapabilityArguments.of(config, podCidrs, cgroupPath));
  }

  private Network network(String name) {
    if (name.isEmpty()) {
      DefaultNetwork.Outcome outcome = defaultNetwork.outcome();
      Chosen chosen = outcome.chosen();
      String why = notReady(outcome);
      if (chosen == null || !why.isEmpty()) {
        throw new SandboxException(Reason.NOT_READY, "the network is not ready: " + why);
      }
      return chosen.network();
    }
    try {
      Network network = cni.network(name);
      Validation validation = network.validate();
      if (!validation.isValid()) {
        throw new SandboxException(
            Reason.NOT_READY,
            "network %s cannot be used: %s".formatted(name, validation.summary()));
      }
      if (needsCidrs(validation.capabilities())) {
        throw new SandboxException(
            Reason.NOT_READY, "network %s needs ipRanges but no pod CIDR set".formatted(name));
      }
      return network;
    } catch (CniException e) {
      throw new SandboxException(
          Reason.NOT_READY, "network %s cannot be used: %s".formatted(name, e.getMessage()), e);
    }
  }

  /**
   * Attaches the pod: its loopback first, then its network. After a failure, the caller must tear
   * it down.
   */
  public Result setUp(PodAttachment attachment) {
    return operate(
        "set up",
        attachment.pod(),
        settings.setUpLimit(),
        deadline -> {
          bringLoopbackUp(attachment, deadline);
          return PodTrace.step(
              StepKind.NETWORK,
              () -> "add to network " + attachment.network(),
              () ->
                  cni.network(attachment.config())
                      .within(left(deadline))
                      .add(attachment.container(attachment.netns())));
        });
  }

  private void bringLoopbackUp(PodAttachment attachment, Deadline deadline) {
    switch (settings.loopback()) {
      case NATIVE ->
          PodTrace.step(
              StepKind.LOOPBACK,
              "bring lo up",
              () -> PodInterface.bringLoopbackUp(attachment.netns()));
      case PLUGIN ->
          PodTrace.step(
              StepKind.LOOPBACK,
              "add to network cni-loopback",
              () -> {
                Result _ =
                    loopback(deadline).add(attachment.container(attachment.netns()).ifName("lo"));
              });
    }
  }

  private Network loopback(Deadline deadline) {
    return cni.network(ConfigList.parse(LOOPBACK_LIST)).within(left(deadline));
  }

  /** Detaches the pod, by the configuration that it was attached with. */
  public void tearDown(PodAttachment attachment) {
    tearDown(attachment, settings.tearDownLimit());
  }

  /** Detaches the pod, with another timeout. */
  public void tearDown(PodAttachment attachment, Duration limit) {
    operate(
        "tear down",
        attachment.pod(),
        limit,
        deadline -> {
          String netns = PodInterface.isNetns(attachment.netns()) ? attachment.netns() : "";
          Container container = attachment.container(netns);
          if (settings.loopback() == Loopback.PLUGIN) {
            dropLoopback(container, deadline);
          }
          PodTrace.step(
              StepKind.NETWORK,
              "delete from network " + attachment.network(),
              () -> cni.network(attachment.config()).within(left(deadline)).del(container));
          return attachment;
        });
  }

  /** The interface ends with its namespace anyway. */
  private void dropLoopback(Container container, Deadline deadline) {
    try {
      PodTrace.step(
          StepKind.LOOPBACK,
          "delete from network cni-loopback",
          () -> loopback(deadline).del(container.ifName("lo")));
    } catch (CniException e) {
      settings.warnings().accept("loopback of " + container.id() + ": " + e.getMessage());
    }
  }

  /**
   * Detaches whatever libcni's cache has for a sandbox: for sandboxes of which nothing else is
   * known.
   */
  public void tearDownCached(PodMetadata pod, String sandboxId, Duration limit) {
    operate(
        "tear down",
        pod,
        limit,
        deadline -> {
          for (CachedAttachment cached : cni.attachments(sandboxId)) {
            String netns = cached.container().netns();
            Container container =
                cached.container().netns(PodInterface.isNetns(netns) ? netns : "");
            PodTrace.step(
                StepKind.NETWORK,
                "delete from network " + cached.network().value(),
                () -> cni.network(cached).within(left(deadline)).del(container));
          }
          return pod;
        });
  }

  /**
   * Returns the addresses of the pod, the primary first.
   *
   * @throws SandboxException when it has none
   */
  public List<IpAddress> addresses(PodMetadata pod, String netns) {
    return operate(
        "read the status of", pod, settings.setUpLimit(), _ -> PodInterface.addresses(netns));
  }

  /**
   * Returns what is missing of a pod's interface; empty when nothing is.
   *
   * @param ips the addresses that were assigned to it
   */
  public static String fault(String netns, List<String> ips) {
    return PodInterface.fault(netns, ips);
  }

  /** Whether there still is a namespace at this path. */
  public static boolean isNetns(String path) {
    return PodInterface.isNetns(path);
  }

  private interface Work<T> {
    T within(Deadline deadline);
  }

  private <T> T operate(String verb, PodMetadata pod, Duration limit, Work<T> work) {
    Deadline deadline = Deadline.in(limit);
    try (KeyedLocks.Held _ = locked(pod, limit)) {
      return named(verb, pod, () -> work.within(deadline));
    }
  }

  private KeyedLocks.Held locked(PodMetadata pod, Duration limit) {
    return PodTrace.step(
        StepKind.LOCK, () -> "lock pod " + pod.podKey(), () -> locks.hold(pod.podKey(), limit));
  }

  private static <T> T named(String verb, PodMetadata pod, Supplier<T> work) {
    try {
      return work.get();
    } catch (CniException | SandboxException | NetlinkException e) {
      throw new SandboxException(
          Reason.FAILED,
          "networkPlugin cni failed to %s pod \"%s\" network: %s"
              .formatted(verb, pod.podKey(), SandboxException.text(e)),
          e);
    }
  }

  private static Duration left(Deadline deadline) {
    Duration left = deadline.remaining();
    if (left.isZero()) {
      throw new SandboxException(Reason.BUSY, "no time was left");
    }
    return left;
  }
}
