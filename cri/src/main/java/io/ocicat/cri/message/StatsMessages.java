package io.ocicat.cri.message;

import io.ocicat.cri.message.ContainerConfigMessages.ContainerMetadata;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What containers use. */
public final class StatsMessages {
  private StatsMessages() {}

  /** A file system by its mount point. */
  public record FilesystemIdentifier(String mountpoint) implements CriMessage {
    public static FilesystemIdentifier read(Fields in) {
      return new FilesystemIdentifier(in.text(1, "mountpoint"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, mountpoint);
    }
  }

  /** What is used of a file system. */
  public record FilesystemUsage(
      long timestamp,
      @Nullable FilesystemIdentifier fsId,
      @Nullable Long usedBytes,
      @Nullable Long inodesUsed)
      implements CriMessage {
    public static FilesystemUsage read(Fields in) {
      return new FilesystemUsage(
          in.number(1, "timestamp"),
          in.message(2, "fs_id", FilesystemIdentifier::read),
          in.wrapped(3, "used_bytes"),
          in.wrapped(4, "inodes_used"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, timestamp).message(2, fsId).wrapped(3, usedBytes).wrapped(4, inodesUsed);
    }
  }

  /** Processor time. */
  public record CpuUsage(
      long timestamp, @Nullable Long usageCoreNanoSeconds, @Nullable Long usageNanoCores)
      implements CriMessage {
    public static CpuUsage read(Fields in) {
      return new CpuUsage(
          in.number(1, "timestamp"),
          in.wrapped(2, "usage_core_nano_seconds"),
          in.wrapped(3, "usage_nano_cores"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, timestamp).wrapped(2, usageCoreNanoSeconds).wrapped(3, usageNanoCores);
    }
  }

  /** Memory. */
  public record MemoryUsage(
      long timestamp,
      @Nullable Long workingSetBytes,
      @Nullable Long availableBytes,
      @Nullable Long usageBytes,
      @Nullable Long rssBytes,
      @Nullable Long pageFaults,
      @Nullable Long majorPageFaults)
      implements CriMessage {
    public static MemoryUsage read(Fields in) {
      return new MemoryUsage(
          in.number(1, "timestamp"),
          in.wrapped(2, "working_set_bytes"),
          in.wrapped(3, "available_bytes"),
          in.wrapped(4, "usage_bytes"),
          in.wrapped(5, "rss_bytes"),
          in.wrapped(6, "page_faults"),
          in.wrapped(7, "major_page_faults"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, timestamp)
          .wrapped(2, workingSetBytes)
          .wrapped(3, availableBytes)
          .wrapped(4, usageBytes)
          .wrapped(5, rssBytes)
          .wrapped(6, pageFaults)
          .wrapped(7, majorPageFaults);
    }
  }

  /** Swap space. */
  public record SwapUsage(
      long timestamp, @Nullable Long swapAvailableBytes, @Nullable Long swapUsageBytes)
      implements CriMessage {
    public static SwapUsage read(Fields in) {
      return new SwapUsage(
          in.number(1, "timestamp"),
          in.wrapped(2, "swap_available_bytes"),
          in.wrapped(3, "swap_usage_bytes"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, timestamp).wrapped(2, swapAvailableBytes).wrapped(3, swapUsageBytes);
    }
  }

  /** Whose figures they are. */
  public record ContainerAttributes(
      String id,
      @Nullable ContainerMetadata metadata,
      Map<String, String> labels,
      Map<String, String> annotations)
      implements CriMessage {
    public ContainerAttributes {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }

    public static ContainerAttributes read(Fields in) {
      return new ContainerAttributes(
          in.text(1, "id"),
          in.message(2, "metadata", ContainerMetadata::read),
          in.map(3, "labels"),
          in.map(4, "annotations"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id).message(2, metadata).map(3, labels).map(4, annotations);
    }
  }

  /** The figures of one container. */
  public record ContainerStats(
      @Nullable ContainerAttributes attributes,
      @Nullable CpuUsage cpu,
      @Nullable MemoryUsage memory,
      @Nullable FilesystemUsage writableLayer,
      @Nullable SwapUsage swap)
      implements CriMessage {
    public static ContainerStats read(Fields in) {
      return new ContainerStats(
          in.message(1, "attributes", ContainerAttributes::read),
          in.message(2, "cpu", CpuUsage::read),
          in.message(3, "memory", MemoryUsage::read),
          in.message(4, "writable_layer", FilesystemUsage::read),
          in.message(5, "swap", SwapUsage::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, attributes)
          .message(2, cpu)
          .message(3, memory)
          .message(4, writableLayer)
          .message(5, swap);
    }
  }

  /** Asks for the figures of one container. */
  public record ContainerStatsRequest(String containerId) implements CriMessage {
    public static ContainerStatsRequest read(Fields in) {
      return new ContainerStatsRequest(in.text(1, "container_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId);
    }
  }

  /** The figures of one container. */
  public record ContainerStatsResponse(@Nullable ContainerStats stats) implements CriMessage {
    public static ContainerStatsResponse read(Fields in) {
      return new ContainerStatsResponse(in.message(1, "stats", ContainerStats::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, stats);
    }
  }

  /** Whose figures to list; all conditions must hold. */
  public record ContainerStatsFilter(
      String id, String podSandboxId, Map<String, String> labelSelector) implements CriMessage {
    public ContainerStatsFilter {
      labelSelector = Map.copyOf(labelSelector);
    }

    public static ContainerStatsFilter read(Fields in) {
      return new ContainerStatsFilter(
          in.text(1, "id"), in.text(2, "pod_sandbox_id"), in.map(3, "label_selector"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id).text(2, podSandboxId).map(3, labelSelector);
    }
  }

  /** Asks for the figures of all containers that match. */
  public record ListContainerStatsRequest(@Nullable ContainerStatsFilter filter)
      implements CriMessage {
    public static ListContainerStatsRequest read(Fields in) {
      return new ListContainerStatsRequest(in.message(1, "filter", ContainerStatsFilter::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, filter);
    }
  }

  /** The figures of the containers that match. */
  public record ListContainerStatsResponse(List<ContainerStats> stats) implements CriMessage {
    public ListContainerStatsResponse {
      stats = List.copyOf(stats);
    }

    public static ListContainerStatsResponse read(Fields in) {
      return new ListContainerStatsResponse(in.messages(1, "stats", ContainerStats::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.messages(1, stats);
    }
  }
}
