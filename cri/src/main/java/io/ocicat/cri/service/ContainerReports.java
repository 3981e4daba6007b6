package io.ocicat.cri.service;

import io.ocicat.cri.message.ContainerConfigMessages.ContainerMetadata;
import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.ContainerMessages;
import io.ocicat.cri.message.ContainerStatusMessages;
import io.ocicat.cri.message.ContainerStatusMessages.Container;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerResources;
import io.ocicat.cri.message.ContainerStatusMessages.LinuxContainerUser;
import io.ocicat.cri.message.StatsMessages.ContainerAttributes;
import io.ocicat.cri.message.StatsMessages.ContainerStats;
import io.ocicat.cri.message.StatsMessages.ContainerStatsFilter;
import io.ocicat.cri.message.StatsMessages.CpuUsage;
import io.ocicat.cri.message.StatsMessages.FilesystemIdentifier;
import io.ocicat.cri.message.StatsMessages.FilesystemUsage;
import io.ocicat.cri.message.StatsMessages.MemoryUsage;
import io.ocicat.cri.message.StatsMessages.SwapUsage;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.ContainerUsage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts the state and usage of containers to messages. */
final class ContainerReports {
  private ContainerReports() {}

  static ContainerFilter filter(ContainerMessages.@Nullable ContainerFilter message) {
    if (message == null) {
      return ContainerFilter.ALL;
    }
    ContainerState state =
        message.state() == null
            ? null
            : switch (message.state().state()) {
              case CONTAINER_CREATED -> ContainerState.CREATED;
              case CONTAINER_RUNNING -> ContainerState.RUNNING;
              case CONTAINER_EXITED -> ContainerState.EXITED;
              case CONTAINER_UNKNOWN -> ContainerState.UNKNOWN;
            };
    return new ContainerFilter(
        message.id(), message.podSandboxId(), state, message.labelSelector());
  }

  static ContainerFilter filter(@Nullable ContainerStatsFilter message) {
    return message == null
        ? ContainerFilter.ALL
        : new ContainerFilter(message.id(), message.podSandboxId(), null, message.labelSelector());
  }

  static Container listed(ContainerStatus container) {
    return new Container(
        container.id(),
        container.sandboxId(),
        metadata(container),
        image(container),
        container.imageRef(),
        state(container),
        container.createdAt(),
        container.config().labels(),
        container.config().annotations(),
        container.imageId());
  }

  static ContainerStatusMessages.ContainerStatus status(ContainerStatus container) {
    return new ContainerStatusMessages.ContainerStatus(
        container.id(),
        metadata(container),
        state(container),
        container.createdAt(),
        container.startedAt(),
        container.finishedAt(),
        container.exitCode(),
        image(container),
        container.imageRef(),
        container.reason(),
        container.message(),
        container.config().labels(),
        container.config().annotations(),
        container.config().mounts().stream().map(ContainerValues::message).toList(),
        container.logPath(),
        new ContainerResources(CommonValues.message(container.resources())),
        container.imageId(),
        new ContainerStatusMessages.ContainerUser(
            new LinuxContainerUser(
                container.user().uid(), container.user().gid(), container.user().groups())),
        SignalNumbers.number(container.stopSignal()));
  }

  /** The image as the user named it. */
  private static ImageSpec image(ContainerStatus container) {
    return new ImageSpec(container.image(), Map.of(), container.image(), "", "");
  }

  private static ContainerMetadata metadata(ContainerStatus container) {
    return new ContainerMetadata(
        container.config().metadata().name(), container.config().metadata().attempt());
  }

  private static ContainerStatusMessages.ContainerState state(ContainerStatus container) {
    return switch (container.state()) {
      case CREATED -> ContainerStatusMessages.ContainerState.CONTAINER_CREATED;
      case RUNNING -> ContainerStatusMessages.ContainerState.CONTAINER_RUNNING;
      case EXITED -> ContainerStatusMessages.ContainerState.CONTAINER_EXITED;
      case UNKNOWN -> ContainerStatusMessages.ContainerState.CONTAINER_UNKNOWN;
    };
  }

  /**
   * What a container used. Unknown values are absent, which kubelet understands; zeros it would
   * believe.
   *
   * @param mountPoint of the file system that holds what containers write
   */
  static ContainerStats stats(ContainerUsage usage, String mountPoint) {
    ContainerStatus container = usage.container();
    return new ContainerStats(
        new ContainerAttributes(
            container.id(),
            metadata(container),
            container.config().labels(),
            container.config().annotations()),
        new CpuUsage(usage.timestamp(), known(usage.cpuNanos()), null),
        new MemoryUsage(
            usage.timestamp(),
            known(usage.workingSet()),
            known(usage.availableBytes()),
            known(usage.memoryUsage()),
            known(usage.rss()),
            known(usage.pageFaults()),
            known(usage.majorPageFaults())),
        new FilesystemUsage(
            usage.timestamp(),
            new FilesystemIdentifier(mountPoint),
            known(usage.layerBytes()),
            known(usage.layerInodes())),
        new SwapUsage(usage.timestamp(), known(usage.swapAvailable()), known(usage.swapUsage())));
  }

  private static @Nullable Long known(long value) {
    return value == ContainerUsage.UNKNOWN ? null : value;
  }
}
