package io.ocicat.cri.message;

import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerStatus;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxMetadata;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests about pod sandboxes, and their answers. */
public final class SandboxMessages {
  private SandboxMessages() {}

  /** The state of a sandbox. */
  public enum PodSandboxState {
    SANDBOX_READY,
    SANDBOX_NOTREADY
  }

  /** Asks for a new sandbox. */
  public record RunPodSandboxRequest(@Nullable PodSandboxConfig config, String runtimeHandler)
      implements CriMessage {
    public static RunPodSandboxRequest read(Fields in) {
      return new RunPodSandboxRequest(
          in.message(1, "config", PodSandboxConfig::read), in.text(2, "runtime_handler"));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, config).text(2, runtimeHandler);
    }
  }

  /** The id of the new sandbox. */
  public record RunPodSandboxResponse(String podSandboxId) implements CriMessage {
    public static RunPodSandboxResponse read(Fields in) {
      return new RunPodSandboxResponse(in.text(1, "pod_sandbox_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podSandboxId);
    }
  }

  /** Ends all processes of a sandbox. */
  public record StopPodSandboxRequest(String podSandboxId) implements CriMessage {
    public static StopPodSandboxRequest read(Fields in) {
      return new StopPodSandboxRequest(in.text(1, "pod_sandbox_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podSandboxId);
    }
  }

  /** Removes a sandbox and its containers. */
  public record RemovePodSandboxRequest(String podSandboxId) implements CriMessage {
    public static RemovePodSandboxRequest read(Fields in) {
      return new RemovePodSandboxRequest(in.text(1, "pod_sandbox_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podSandboxId);
    }
  }

  /** Asks for the state of one sandbox. */
  public record PodSandboxStatusRequest(String podSandboxId, boolean verbose)
      implements CriMessage {
    public static PodSandboxStatusRequest read(Fields in) {
      return new PodSandboxStatusRequest(in.text(1, "pod_sandbox_id"), in.flag(2, "verbose"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podSandboxId).flag(2, verbose);
    }
  }

  /** An additional address. */
  public record PodIp(String ip) implements CriMessage {
    public static PodIp read(Fields in) {
      return new PodIp(in.text(1, "ip"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, ip);
    }
  }

  /** The addresses of a sandbox. */
  public record PodSandboxNetworkStatus(String ip, List<PodIp> additionalIps)
      implements CriMessage {
    public PodSandboxNetworkStatus {
      additionalIps = List.copyOf(additionalIps);
    }

    public static PodSandboxNetworkStatus read(Fields in) {
      return new PodSandboxNetworkStatus(
          in.text(1, "ip"), in.messages(2, "additional_ips", PodIp::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, ip).messages(2, additionalIps);
    }
  }

  /** The namespaces of a sandbox. */
  public record Namespace(@Nullable NamespaceOption options) implements CriMessage {
    public static Namespace read(Fields in) {
      return new Namespace(in.message(2, "options", NamespaceOption::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(2, options);
    }
  }

  /** The part of a status that concerns Linux. */
  public record LinuxPodSandboxStatus(@Nullable Namespace namespaces) implements CriMessage {
    public static LinuxPodSandboxStatus read(Fields in) {
      return new LinuxPodSandboxStatus(in.message(1, "namespaces", Namespace::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, namespaces);
    }
  }

  /** The state of a sandbox. */
  public record PodSandboxStatus(
      String id,
      @Nullable PodSandboxMetadata metadata,
      PodSandboxState state,
      long createdAt,
      @Nullable PodSandboxNetworkStatus network,
      @Nullable LinuxPodSandboxStatus linux,
      Map<String, String> labels,
      Map<String, String> annotations,
      String runtimeHandler)
      implements CriMessage {
    public PodSandboxStatus {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }

    public static PodSandboxStatus read(Fields in) {
      return new PodSandboxStatus(
          in.text(1, "id"),
          in.message(2, "metadata", PodSandboxMetadata::read),
          in.choice(3, "state", PodSandboxState.values()),
          in.number(4, "created_at"),
          in.message(5, "network", PodSandboxNetworkStatus::read),
          in.message(6, "linux", LinuxPodSandboxStatus::read),
          in.map(7, "labels"),
          in.map(8, "annotations"),
          in.text(9, "runtime_handler"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id)
          .message(2, metadata)
          .choice(3, state)
          .number(4, createdAt)
          .message(5, network)
          .message(6, linux)
          .map(7, labels)
          .map(8, annotations)
          .text(9, runtimeHandler);
    }
  }

  /** The state of a sandbox, and of its containers for clients that follow events. */
  public record PodSandboxStatusResponse(
      @Nullable PodSandboxStatus status,
      Map<String, String> info,
      List<ContainerStatus> containersStatuses,
      long timestamp)
      implements CriMessage {
    public PodSandboxStatusResponse {
      info = Map.copyOf(info);
      containersStatuses = List.copyOf(containersStatuses);
    }

    public static PodSandboxStatusResponse read(Fields in) {
      return new PodSandboxStatusResponse(
          in.message(1, "status", PodSandboxStatus::read),
          in.map(2, "info"),
          in.messages(3, "containers_statuses", ContainerStatus::read),
          in.number(4, "timestamp"));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, status).map(2, info).messages(3, containersStatuses).number(4, timestamp);
    }
  }

  /** A state to filter by. */
  public record PodSandboxStateValue(PodSandboxState state) implements CriMessage {
    public static PodSandboxStateValue read(Fields in) {
      return new PodSandboxStateValue(in.choice(1, "state", PodSandboxState.values()));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, state);
    }
  }

  /** Which sandboxes to list; all conditions must hold. */
  public record PodSandboxFilter(
      String id, @Nullable PodSandboxStateValue state, Map<String, String> labelSelector)
      implements CriMessage {
    public PodSandboxFilter {
      labelSelector = Map.copyOf(labelSelector);
    }

    public static PodSandboxFilter read(Fields in) {
      return new PodSandboxFilter(
          in.text(1, "id"),
          in.message(2, "state", PodSandboxStateValue::read),
          in.map(3, "label_selector"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id).message(2, state).map(3, labelSelector);
    }
  }

  /** Asks for all sandboxes that match. */
  public record ListPodSandboxRequest(@Nullable PodSandboxFilter filter) implements CriMessage {
    public static ListPodSandboxRequest read(Fields in) {
      return new ListPodSandboxRequest(in.message(1, "filter", PodSandboxFilter::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, filter);
    }
  }

  /** One sandbox of a list. */
  public record PodSandbox(
      String id,
      @Nullable PodSandboxMetadata metadata,
      PodSandboxState state,
      long createdAt,
      Map<String, String> labels,
      Map<String, String> annotations,
      String runtimeHandler)
      implements CriMessage {
    public PodSandbox {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }

    public static PodSandbox read(Fields in) {
      return new PodSandbox(
          in.text(1, "id"),
          in.message(2, "metadata", PodSandboxMetadata::read),
          in.choice(3, "state", PodSandboxState.values()),
          in.number(4, "created_at"),
          in.map(5, "labels"),
          in.map(6, "annotations"),
          in.text(7, "runtime_handler"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id)
          .message(2, metadata)
          .choice(3, state)
          .number(4, createdAt)
          .map(5, labels)
          .map(6, annotations)
          .text(7, runtimeHandler);
    }
  }

  /** The sandboxes that match. */
  public record ListPodSandboxResponse(List<PodSandbox> items) implements CriMessage {
    public ListPodSandboxResponse {
      items = List.copyOf(items);
    }

    public static ListPodSandboxResponse read(Fields in) {
      return new ListPodSandboxResponse(in.messages(1, "items", PodSandbox::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.messages(1, items);
    }
  }
}
