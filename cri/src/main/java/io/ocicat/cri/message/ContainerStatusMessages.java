package io.ocicat.cri.message;

import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.ContainerConfigMessages.ContainerMetadata;
import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.ContainerConfigMessages.Mount;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of containers. */
public final class ContainerStatusMessages {
  private ContainerStatusMessages() {}

  /** The state of a container. */
  public enum ContainerState {
    CONTAINER_CREATED,
    CONTAINER_RUNNING,
    CONTAINER_EXITED,
    CONTAINER_UNKNOWN
  }

  /** One container of a list. */
  public record Container(
      String id,
      String podSandboxId,
      @Nullable ContainerMetadata metadata,
      @Nullable ImageSpec image,
      String imageRef,
      ContainerState state,
      long createdAt,
      Map<String, String> labels,
      Map<String, String> annotations,
      String imageId)
      implements CriMessage {
    public Container {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }

    public static Container read(Fields in) {
      return new Container(
          in.text(1, "id"),
          in.text(2, "pod_sandbox_id"),
          in.message(3, "metadata", ContainerMetadata::read),
          in.message(4, "image", ImageSpec::read),
          in.text(5, "image_ref"),
          in.choice(6, "state", ContainerState.values()),
          in.number(7, "created_at"),
          in.map(8, "labels"),
          in.map(9, "annotations"),
          in.text(10, "image_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id)
          .text(2, podSandboxId)
          .message(3, metadata)
          .message(4, image)
          .text(5, imageRef)
          .choice(6, state)
          .number(7, createdAt)
          .map(8, labels)
          .map(9, annotations)
          .text(10, imageId);
    }
  }

  /** The ids that the first process began with. */
  public record LinuxContainerUser(long uid, long gid, List<Long> supplementalGroups)
      implements CriMessage {
    public LinuxContainerUser {
      supplementalGroups = List.copyOf(supplementalGroups);
    }

    public static LinuxContainerUser read(Fields in) {
      return new LinuxContainerUser(
          in.number(1, "uid"), in.number(2, "gid"), in.numbers(3, "supplemental_groups"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, uid).number(2, gid).numbers(3, supplementalGroups);
    }
  }

  /** Whom a container runs as. */
  public record ContainerUser(@Nullable LinuxContainerUser linux) implements CriMessage {
    public static ContainerUser read(Fields in) {
      return new ContainerUser(in.message(1, "linux", LinuxContainerUser::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, linux);
    }
  }

  /** The limits in force. */
  public record ContainerResources(@Nullable LinuxContainerResources linux) implements CriMessage {
    public static ContainerResources read(Fields in) {
      return new ContainerResources(in.message(1, "linux", LinuxContainerResources::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, linux);
    }
  }

  /** The state of a container. */
  public record ContainerStatus(
      String id,
      @Nullable ContainerMetadata metadata,
      ContainerState state,
      long createdAt,
      long startedAt,
      long finishedAt,
      int exitCode,
      @Nullable ImageSpec image,
      String imageRef,
      String reason,
      String message,
      Map<String, String> labels,
      Map<String, String> annotations,
      List<Mount> mounts,
      String logPath,
      @Nullable ContainerResources resources,
      String imageId,
      @Nullable ContainerUser user,
      int stopSignal)
      implements CriMessage {
    public ContainerStatus {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
      mounts = List.copyOf(mounts);
    }

    public static ContainerStatus read(Fields in) {
      return new ContainerStatus(
          in.text(1, "id"),
          in.message(2, "metadata", ContainerMetadata::read),
          in.choice(3, "state", ContainerState.values()),
          in.number(4, "created_at"),
          in.number(5, "started_at"),
          in.number(6, "finished_at"),
          in.int32(7, "exit_code"),
          in.message(8, "image", ImageSpec::read),
          in.text(9, "image_ref"),
          in.text(10, "reason"),
          in.text(11, "message"),
          in.map(12, "labels"),
          in.map(13, "annotations"),
          in.messages(14, "mounts", Mount::read),
          in.text(15, "log_path"),
          in.message(16, "resources", ContainerResources::read),
          in.text(17, "image_id"),
          in.message(18, "user", ContainerUser::read),
          in.int32(19, "stop_signal"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id)
          .message(2, metadata)
          .choice(3, state)
          .number(4, createdAt)
          .number(5, startedAt)
          .number(6, finishedAt)
          .number(7, exitCode)
          .message(8, image)
          .text(9, imageRef)
          .text(10, reason)
          .text(11, message)
          .map(12, labels)
          .map(13, annotations)
          .messages(14, mounts)
          .text(15, logPath)
          .message(16, resources)
          .text(17, imageId)
          .message(18, user)
          .number(19, stopSignal);
    }
  }
}
