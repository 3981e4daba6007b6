package io.ocicat.cri;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.ocicat.cri.CriCalls.Container;
import io.ocicat.cri.message.CommonMessages.NamespaceMode;
import io.ocicat.cri.message.ContainerMessages.CreateContainerRequest;
import io.ocicat.cri.message.ContainerMessages.ListContainersRequest;
import io.ocicat.cri.message.ContainerMessages.ListContainersResponse;
import io.ocicat.cri.message.ContainerMessages.StopContainerRequest;
import io.ocicat.cri.message.ContainerMessages.UpdateContainerResourcesRequest;
import io.ocicat.cri.message.CriMessage;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusRequest;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxRequest;
import io.ocicat.cri.message.StreamingMessages.AttachRequest;
import io.ocicat.cri.message.StreamingMessages.ExecRequest;
import io.ocicat.cri.message.StreamingMessages.ExecSyncRequest;
import io.ocicat.cri.message.StreamingMessages.PortForwardRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is sent: the right code, one line, and nothing is left. */
class BadInputTest extends CriSpec {
  private static final Set<Status.Code> EXPECTED =
      Set.of(
          Status.Code.OK,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ALREADY_EXISTS,
          Status.Code.UNIMPLEMENTED);

  @AfterEach
  void nothingUnexpectedHappened() {
    assertThat(node.log).isEmpty();
  }

  private Status status(String method, byte[] request) {
    try {
      client.call(method, request, _ -> "", Duration.ofSeconds(60));
      return Status.OK;
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getDescription()).isNotBlank().doesNotContain("\n");
      return e.getStatus();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RunPodSandbox",
        "StopPodSandbox",
        "RemovePodSandbox",
        "PodSandboxStatus",
        "CreateContainer",
        "StartContainer",
        "StopContainer",
        "RemoveContainer",
        "ContainerStatus",
        "UpdateContainerResources",
        "ReopenContainerLog",
        "ExecSync",
        "Exec",
        "Attach",
        "PortForward",
        "ContainerStats",
        "ImageStatus",
        "PullImage",
        "RemoveImage"
      })
  void anEmptyRequestLacksSomething(String method) {
    Status status = status(method, new byte[0]);
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).endsWith(" is missing");
    assertThat(status(method, new byte[] {0x0a, 0x50, 1}).getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void idsThatAreNoneAreUnknown() {
    for (String id :
        List.of("x", "../../etc", "f".repeat(64), "F", "x".repeat(1_000_000), "a\0b")) {
      assertThat(
              status("PodSandboxStatus", new PodSandboxStatusRequest(id, true).toBytes()).getCode())
          .isEqualTo(Status.Code.NOT_FOUND);
      assertThat(status("StopContainer", new StopContainerRequest(id, -5).toBytes()).getCode())
          .isEqualTo(Status.Code.OK);
    }
  }

  @Test
  void everyFieldOfAPod() {
    PodSandboxConfig pod =
        CriCalls.with(
            calls.pod("bad"),
            CriCalls.namespaces(NamespaceMode.NODE, NamespaceMode.POD, NamespaceMode.POD, false));
    every("RunPodSandbox", new RunPodSandboxRequest(pod, ""));
  }

  @Test
  void everyFieldOfAContainer() {
    PodSandboxConfig pod =
        CriCalls.with(
            calls.pod("bad"),
            CriCalls.namespaces(NamespaceMode.NODE, NamespaceMode.POD, NamespaceMode.POD, false));
    String id = calls.run(pod);
    every(
        "CreateContainer",
        new CreateContainerRequest(id, Container.named("bad").log("bad.log").config(), null));
    String running = calls.createAndStart(id, pod, Container.named("good"));
    every("UpdateContainerResources", new UpdateContainerResourcesRequest(running, null, Map.of()));
    every("ExecSync", new ExecSyncRequest(running, List.of("true"), 1));
    every("Exec", new ExecRequest(running, List.of("true"), false, true, true, true));
    every("Attach", new AttachRequest(running, false, false, true, true));
    every("PortForward", new PortForwardRequest(id, List.of(80L)));
    every("ListContainers", new ListContainersRequest(null));
    every("ListPodSandbox", new ListPodSandboxRequest(null));
    calls.removePod(id);
    assertThat(
            client
                .call(
                    "ListContainers", new ListContainersRequest(null), ListContainersResponse::read)
                .containers())
        .isEmpty();
  }

  private void every(String method, CriMessage request) {
    List<String> unexpected = new ArrayList<>();
    for (Variants.Variant variant : Variants.of(request)) {
      Status status = status(method, variant.message().toBytes());
      if (!EXPECTED.contains(status.getCode())) {
        unexpected.add("%s: %s %s".formatted(variant.what(), status.getCode(), brief(status)));
      }
      if (status.isOk()) {
        removeWhatWasMade(method);
      }
    }
    assertThat(unexpected).as(method).isEmpty();
  }

  private static String brief(Status status) {
    String text = String.valueOf(status.getDescription());
    return text.substring(0, Math.min(text.length(), 300));
  }

  private void removeWhatWasMade(String method) {
    if (method.equals("RunPodSandbox")) {
      removePods();
    } else if (method.equals("CreateContainer")) {
      client
          .call("ListContainers", new ListContainersRequest(null), ListContainersResponse::read)
          .containers()
          .forEach(left -> calls.remove(left.id()));
    }
  }
}
