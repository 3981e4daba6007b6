package io.ocicat.cri.service;

import io.grpc.MethodDescriptor.MethodType;
import io.ocicat.cri.grpc.RpcService;
import io.ocicat.cri.message.ContainerMessages.ContainerStatusRequest;
import io.ocicat.cri.message.ContainerMessages.CreateContainerRequest;
import io.ocicat.cri.message.ContainerMessages.ListContainersRequest;
import io.ocicat.cri.message.ContainerMessages.RemoveContainerRequest;
import io.ocicat.cri.message.ContainerMessages.ReopenContainerLogRequest;
import io.ocicat.cri.message.ContainerMessages.StartContainerRequest;
import io.ocicat.cri.message.ContainerMessages.StopContainerRequest;
import io.ocicat.cri.message.ContainerMessages.UpdateContainerResourcesRequest;
import io.ocicat.cri.message.EventMessages.GetEventsRequest;
import io.ocicat.cri.message.RuntimeMessages.RuntimeConfigRequest;
import io.ocicat.cri.message.RuntimeMessages.StatusRequest;
import io.ocicat.cri.message.RuntimeMessages.UpdateRuntimeConfigRequest;
import io.ocicat.cri.message.RuntimeMessages.VersionRequest;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusRequest;
import io.ocicat.cri.message.SandboxMessages.RemovePodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.StopPodSandboxRequest;
import io.ocicat.cri.message.StatsMessages.ContainerStatsRequest;
import io.ocicat.cri.message.StatsMessages.ListContainerStatsRequest;
import io.ocicat.cri.message.StreamingMessages.AttachRequest;
import io.ocicat.cri.message.StreamingMessages.ExecRequest;
import io.ocicat.cri.message.StreamingMessages.ExecSyncRequest;
import io.ocicat.cri.message.StreamingMessages.PortForwardRequest;
import java.util.function.Consumer;

/** The methods of {@code runtime.v1.RuntimeService}. */
public final class RuntimeService {
  private static final String NO_CHECKPOINTS =
      "checkpoints are not supported: nothing here can freeze a process and start it elsewhere";
  private static final String NO_STREAMED_LISTS =
      "streamed lists are not supported: use the method that returns the list";
  private static final String NO_POD_STATS =
      "statistics of pods are not supported: use ListContainerStats, or turn kubelet's gate"
          + " PodAndContainerStatsFromCRI off";

  private RuntimeService() {}

  /**
   * The methods on these parts.
   *
   * @param log is told of what should not happen
   */
  public static RpcService of(CriParts parts, Consumer<String> log) {
    RuntimeCalls runtime = new RuntimeCalls(parts);
    SandboxCalls sandboxes = new SandboxCalls(parts);
    ContainerCalls containers = new ContainerCalls(parts);
    StreamingCalls streaming = new StreamingCalls(parts);
    EventCalls events = new EventCalls(parts);
    return new RpcService("runtime.v1.RuntimeService", new StatusCodes(log))
            .method("Version", VersionRequest::read, runtime::version)
            .method("Status", StatusRequest::read, runtime::status)
            .method("RuntimeConfig", RuntimeConfigRequest::read, runtime::config)
            .method("UpdateRuntimeConfig", UpdateRuntimeConfigRequest::read, runtime::update)
            .method("RunPodSandbox", RunPodSandboxRequest::read, sandboxes::run)
            .method("StopPodSandbox", StopPodSandboxRequest::read, sandboxes::stop)
            .method("RemovePodSandbox", RemovePodSandboxRequest::read, sandboxes::remove)
            .method("PodSandboxStatus", PodSandboxStatusRequest::read, sandboxes::status)
            .method("ListPodSandbox", ListPodSandboxRequest::read, sandboxes::list)
            .method("CreateContainer", CreateContainerRequest::read, containers::create)
            .method("StartContainer", StartContainerRequest::read, containers::start)
            .method("StopContainer", StopContainerRequest::read, containers::stop)
            .method("RemoveContainer", RemoveContainerRequest::read, containers::remove)
            .method("ListContainers", ListContainersRequest::read, containers::list)
            .method("ContainerStatus", ContainerStatusRequest::read, containers::status)
            .method(
                "UpdateContainerResources",
                UpdateContainerResourcesRequest::read,
                containers::update)
            .method("ReopenContainerLog", ReopenContainerLogRequest::read, containers::reopenLog)
            .method("ContainerStats", ContainerStatsRequest::read, containers::stats)
            .method("ListContainerStats", ListContainerStatsRequest::read, containers::listStats)
            .method("ExecSync", ExecSyncRequest::read, streaming::execSync)
            .method("Exec", ExecRequest::read, streaming::exec)
            .method("Attach", AttachRequest::read, streaming::attach)
            .method("PortForward", PortForwardRequest::read, streaming::portForward)
            .stream("GetContainerEvents", GetEventsRequest::read, events::follow)
            .unsupported(MethodType.UNARY, "CheckpointContainer", NO_CHECKPOINTS)
            .unsupported(MethodType.UNARY, "CheckpointPod", NO_CHECKPOINTS)
            .unsupported(MethodType.UNARY, "RestorePod", NO_CHECKPOINTS)
            .unsupported(MethodType.UNARY, "PodSandboxStats", NO_POD_STATS)
            .unsupported(MethodType.UNARY, "ListPodSandboxStats", NO_POD_STATS)
            .unsupported(MethodType.UNARY, "ListMetricDescriptors", NO_POD_STATS)
            .unsupported(MethodType.UNARY, "ListPodSandboxMetrics", NO_POD_STATS)
            .unsupported(
                MethodType.UNARY,
                "UpdatePodSandboxResources",
                "limits of whole pods are not changed here: kubelet changes the pod's cgroup itself")
            .unsupported(MethodType.SERVER_STREAMING, "StreamPodSandboxes", NO_STREAMED_LISTS)
            .unsupported(MethodType.SERVER_STREAMING, "StreamContainers", NO_STREAMED_LISTS)
            .unsupported(MethodType.SERVER_STREAMING, "StreamContainerStats", NO_STREAMED_LISTS)
            .unsupported(MethodType.SERVER_STREAMING, "StreamPodSandboxStats", NO_STREAMED_LISTS)
            .unsupported(MethodType.SERVER_STREAMING, "StreamPodSandboxMetrics", NO_STREAMED_LISTS);
  }
}
