package io.ocicat.cri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.ocicat.cri.CriCalls.Container;
import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.ContainerMessages.StopContainerRequest;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerState;
import io.ocicat.cri.message.EventMessages.ContainerEventResponse;
import io.ocicat.cri.message.EventMessages.ContainerEventType;
import io.ocicat.cri.message.EventMessages.GetEventsRequest;
import io.ocicat.cri.message.Fields;
import io.ocicat.cri.message.ImageMessages.ImageFsInfoRequest;
import io.ocicat.cri.message.ImageMessages.ImageFsInfoResponse;
import io.ocicat.cri.message.ImageMessages.ImageStatusRequest;
import io.ocicat.cri.message.ImageMessages.ImageStatusResponse;
import io.ocicat.cri.message.ImageMessages.ListImagesRequest;
import io.ocicat.cri.message.ImageMessages.ListImagesResponse;
import io.ocicat.cri.message.ImageMessages.PullImageRequest;
import io.ocicat.cri.message.ImageMessages.RemoveImageRequest;
import io.ocicat.cri.message.RuntimeMessages.CgroupDriver;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.RuntimeMessages.NetworkConfig;
import io.ocicat.cri.message.RuntimeMessages.RuntimeConfig;
import io.ocicat.cri.message.RuntimeMessages.RuntimeConfigRequest;
import io.ocicat.cri.message.RuntimeMessages.RuntimeConfigResponse;
import io.ocicat.cri.message.RuntimeMessages.UpdateRuntimeConfigRequest;
import io.ocicat.cri.message.RuntimeMessages.VersionRequest;
import io.ocicat.cri.message.RuntimeMessages.VersionResponse;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is served, what the server does on its own, and the methods about runtime and images. */
class ServerTest extends CriSpec {
  private static ImageSpec image(String name) {
    return new ImageSpec(name, Map.of(), "", "", "");
  }

  @Test
  void onlyRootCanUseTheSocket() throws IOException {
    Path socket = node.socket();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rw-------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(Objects.requireNonNull(socket.getParent()))))
        .isEqualTo("rwx------");
    // Even where somebody opened everything, others get no answer.
    for (Path path = socket;
        path != null && path.startsWith(node.folder());
        path = path.getParent()) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    String greeting =
        """
        import socket
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(10)
        s.connect('%s')
        print('connected')
        try:
          s.send(b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n\\0\\0\\0\\4\\0\\0\\0\\0\\0')
          print(len(s.recv(9)))
        except OSError:
          print('closed')
        """
            .formatted(socket);
    assertThat(Command.of("/usr/bin/python3", "-c", greeting).run().stdout())
        .isEqualTo("connected\n9\n");
    assertThat(
            Command.of(
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    "/usr/bin/python3",
                    "-c",
                    greeting)
                .run()
                .stdout())
        .isIn("connected\n0\n", "connected\nclosed\n");
  }

  @Test
  void oneServerHasASocket() {
    assertThatThrownBy(node::serveAgain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another server has");
    assertThat(client.call("Version", new VersionRequest(""), VersionResponse::read).version())
        .isEqualTo("0.1.0");
  }

  @Test
  void containersGoOnWhileTheServerIsRestarted() {
    PodSandboxConfig config = calls.pod("lasting");
    String pod = calls.run(config);
    String id = calls.createAndStart(pod, config, Container.named("lasting"));
    node.restartServer();
    assertThat(calls.status(id).state()).isEqualTo(ContainerState.CONTAINER_RUNNING);
    assertThat(calls.output(id, "echo", "there")).isEqualTo("there\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CheckpointContainer",
        "PodSandboxStats",
        "ListPodSandboxMetrics",
        "UpdatePodSandboxResources",
        "runtime.v1.RuntimeService/NobodyKnowsThis",
        "runtime.v1alpha2.RuntimeService/Version"
      })
  void whatIsNotThereIsUnimplemented(String method) {
    Status status = client.failure(method, new VersionRequest(""));
    assertThat(status.getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(status.getDescription()).isNotBlank();
  }

  /** kubelet gives up after its deadline and asks again: the container must have stopped then. */
  @Test
  void workGoesOnWhenTheCallerHasGivenUp() {
    PodSandboxConfig config = calls.pod("patience");
    String pod = calls.run(config);
    String id =
        calls.createAndStart(
            pod,
            config,
            Container.named("stubborn").shell("trap '' TERM; while true; do sleep 0.1; done"));
    assertThatThrownBy(
            () ->
                client.call(
                    "StopContainer",
                    new StopContainerRequest(id, 2).toBytes(),
                    EmptyResponse::read,
                    Duration.ofMillis(300)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
    Eventually.await(
        "the container's end",
        Duration.ofSeconds(20),
        () -> calls.status(id).state() == ContainerState.CONTAINER_EXITED);
  }

  private static final class Events extends ClientCall.Listener<byte[]> {
    final List<ContainerEventResponse> received = new CopyOnWriteArrayList<>();
    final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public void onMessage(byte[] message) {
      received.add(Fields.parse(message, ContainerEventResponse::read));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      closed.countDown();
    }

    boolean has(String id, ContainerEventType type) {
      return received.stream()
          .anyMatch(event -> event.containerId().equals(id) && event.containerEventType() == type);
    }
  }

  @Test
  void eventsTellTheLifeOfAContainer() throws InterruptedException {
    Events events = new Events();
    ClientCall<byte[], byte[]> call =
        client.stream("GetContainerEvents", new GetEventsRequest(), events);
    call.request(10_000);
    PodSandboxConfig config = calls.pod("events");
    String pod = calls.run(config);
    String id = calls.createAndStart(pod, config, Container.named("short").shell("exit 3"));
    for (ContainerEventType type :
        List.of(
            ContainerEventType.CONTAINER_CREATED_EVENT,
            ContainerEventType.CONTAINER_STARTED_EVENT,
            ContainerEventType.CONTAINER_STOPPED_EVENT)) {
      Eventually.await(type.name(), Duration.ofSeconds(20), () -> events.has(id, type));
    }
    assertThat(events.received)
        .allSatisfy(event -> assertThat(event.podSandboxStatus()).isNotNull());
    calls.remove(id);
    Eventually.await(
        "the removal", () -> events.has(id, ContainerEventType.CONTAINER_DELETED_EVENT));
    node.restartServer();
    assertThat(events.closed.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theCgroupDriverIsToldAndPodAddressesAreTaken() {
    assertThat(
            Objects.requireNonNull(
                    client
                        .call(
                            "RuntimeConfig",
                            new RuntimeConfigRequest(),
                            RuntimeConfigResponse::read)
                        .linux())
                .cgroupDriver())
        .isEqualTo(CgroupDriver.CGROUPFS);
    client.call(
        "UpdateRuntimeConfig",
        new UpdateRuntimeConfigRequest(new RuntimeConfig(new NetworkConfig("10.65.0.0/24"))),
        EmptyResponse::read);
  }

  /** One string everywhere, or kubelet's garbage collection deletes images that are in use. */
  @Test
  void anImageHasOneIdEverywhere() {
    ListImagesResponse list =
        client.call("ListImages", new ListImagesRequest(null), ListImagesResponse::read);
    assertThat(list.images()).hasSize(1);
    String id = list.images().getFirst().id();
    assertThat(list.images().getFirst().repoTags()).containsExactly(TestImages.BUSYBOX);
    assertThat(list.images().getFirst().size()).isPositive();
    for (String name : List.of(TestImages.BUSYBOX, id, id.substring(7), id.substring(7, 20))) {
      ImageStatusResponse status =
          client.call(
              "ImageStatus", new ImageStatusRequest(image(name), true), ImageStatusResponse::read);
      assertThat(Objects.requireNonNull(status.image()).id()).isEqualTo(id);
      assertThat(status.info().getOrDefault("info", "")).contains("\"imageSpec\":{");
    }
    PodSandboxConfig config = calls.pod("image");
    String pod = calls.run(config);
    String container = calls.create(pod, config, Container.named("image").image(id));
    assertThat(calls.status(container).imageId()).isEqualTo(id);
  }

  @Test
  void unknownImagesAreAbsentAndRemovedInSilence() {
    ImageSpec unknown = image("nobody/has:this");
    assertThat(
            client
                .call(
                    "ImageStatus",
                    new ImageStatusRequest(unknown, false),
                    ImageStatusResponse::read)
                .image())
        .isNull();
    client.call("RemoveImage", new RemoveImageRequest(unknown), EmptyResponse::read);
  }

  @Test
  void aRegistryThatDoesNotAnswerHasKubeletsWord() {
    Status status =
        client.failure("PullImage", new PullImageRequest(image("127.0.0.1:1/a:b"), null, null));
    assertThat(status.getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(status.getDescription()).startsWith("RegistryUnavailable: ");
  }

  @Test
  void theImageFileSystemIsKnown() {
    ImageFsInfoResponse info =
        client.call("ImageFsInfo", new ImageFsInfoRequest(), ImageFsInfoResponse::read);
    assertThat(info.imageFilesystems())
        .singleElement()
        .satisfies(
            usage -> {
              assertThat(usage.timestamp()).isPositive();
              assertThat(usage.usedBytes()).isPositive();
              assertThat(Path.of(Objects.requireNonNull(usage.fsId()).mountpoint())).isDirectory();
            });
  }
}
