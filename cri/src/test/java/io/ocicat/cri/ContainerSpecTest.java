package io.ocicat.cri;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.ocicat.cri.CriCalls.Container;
import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.ContainerConfigMessages.Mount;
import io.ocicat.cri.message.ContainerConfigMessages.MountPropagation;
import io.ocicat.cri.message.ContainerMessages.ContainerFilter;
import io.ocicat.cri.message.ContainerMessages.ContainerStateValue;
import io.ocicat.cri.message.ContainerMessages.CreateContainerRequest;
import io.ocicat.cri.message.ContainerMessages.ListContainersRequest;
import io.ocicat.cri.message.ContainerMessages.ListContainersResponse;
import io.ocicat.cri.message.ContainerMessages.ReopenContainerLogRequest;
import io.ocicat.cri.message.ContainerMessages.UpdateContainerResourcesRequest;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerState;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerStatus;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.StatsMessages.ContainerStats;
import io.ocicat.cri.message.StatsMessages.ContainerStatsFilter;
import io.ocicat.cri.message.StatsMessages.ContainerStatsRequest;
import io.ocicat.cri.message.StatsMessages.ContainerStatsResponse;
import io.ocicat.cri.message.StatsMessages.ListContainerStatsRequest;
import io.ocicat.cri.message.StatsMessages.ListContainerStatsResponse;
import io.ocicat.cri.message.StreamingMessages.ExecSyncRequest;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The specs "Container", "Idempotence" and "Multiple Containers" of critest, by their names. */
class ContainerSpecTest extends CriSpec {
  private PodSandboxConfig config;
  private String pod = "";

  @BeforeEach
  void runPod() {
    config = calls.pod("container-Test");
    pod = calls.run(config);
  }

  private List<String> listed(ContainerFilter filter) {
    return client
        .call("ListContainers", new ListContainersRequest(filter), ListContainersResponse::read)
        .containers()
        .stream()
        .map(each -> each.id())
        .toList();
  }

  private Path logFile(String name) {
    return Path.of(config.logDirectory(), name);
  }

  private static void awaitText(Path file, String text) {
    Eventually.passes(
        Duration.ofSeconds(20),
        () -> {
          try {
            assertThat(Files.readString(file)).contains(text);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  @DisplayName("runtime should support creating container, and report its attributes")
  void create() {
    Container wanted = Container.named("container-for-create-test");
    String id = calls.create(pod, config, wanted);
    assertThat(id).matches("[0-9a-f]{64}");
    ContainerStatus status = calls.status(id);
    assertThat(status.state()).isEqualTo(ContainerState.CONTAINER_CREATED);
    assertThat(status.createdAt()).isPositive();
    assertThat(status.startedAt()).isZero();
    assertThat(status.finishedAt()).isZero();
    assertThat(status.metadata()).isEqualTo(wanted.config().metadata());
    assertThat(status.labels()).isEqualTo(wanted.config().labels());
    assertThat(status.annotations()).isEqualTo(wanted.config().annotations());
    assertThat(Objects.requireNonNull(status.image()).image()).isEqualTo(TestImages.BUSYBOX);
    assertThat(status.imageId()).startsWith("sha256:").isEqualTo(status.imageRef());
    assertThat(status.mounts()).isEmpty();
    assertThat(
            listed(
                new ContainerFilter(
                    "",
                    new ContainerStateValue(ContainerState.CONTAINER_CREATED),
                    pod,
                    Map.of("container", wanted.name))))
        .containsExactly(id);
  }

  @Test
  @DisplayName("runtime should support starting, stopping and removing container")
  void life() {
    String id = calls.createAndStart(pod, config, Container.named("life"));
    assertThat(calls.status(id).state()).isEqualTo(ContainerState.CONTAINER_RUNNING);
    assertThat(calls.status(id).startedAt()).isPositive();
    assertThat(client.failure("StartContainer", start(id)).getCode())
        .isEqualTo(Status.Code.FAILED_PRECONDITION);
    calls.stop(id, 0);
    ContainerStatus status = calls.status(id);
    assertThat(status.state()).isEqualTo(ContainerState.CONTAINER_EXITED);
    assertThat(status.exitCode()).isEqualTo(137);
    assertThat(status.finishedAt()).isGreaterThanOrEqualTo(status.startedAt());
    calls.remove(id);
    assertThat(listed(new ContainerFilter(id, null, "", Map.of()))).isEmpty();
  }

  private static io.ocicat.cri.message.ContainerMessages.StartContainerRequest start(String id) {
    return new io.ocicat.cri.message.ContainerMessages.StartContainerRequest(id);
  }

  @Test
  @DisplayName("runtime should support removing created and running container")
  void removeInAnyState() {
    String created = calls.create(pod, config, Container.named("created"));
    String running = calls.createAndStart(pod, config, Container.named("running"));
    calls.remove(created);
    calls.remove(running);
    assertThat(listed(new ContainerFilter("", null, pod, Map.of()))).isEmpty();
  }

  @Test
  @DisplayName("runtime should support execSync, and its timeout")
  void execSync() {
    String id = calls.createAndStart(pod, config, Container.named("exec"));
    assertThat(calls.output(id, "echo", "-n", "hello")).isEqualTo("hello");
    assertThat(calls.exec(id, "sh", "-c", "exit 3").exitCode()).isEqualTo(3);
    Status late = client.failure("ExecSync", new ExecSyncRequest(id, List.of("sleep", "4321"), 1));
    assertThat(late.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(calls.output(id, "ps")).doesNotContain("sleep 4321");
    assertThat(
            client
                .failure("ExecSync", new ExecSyncRequest(id, List.of("/no/such/program"), 5))
                .getDescription())
        .doesNotContain("\n")
        .contains("/no/such/program");
  }

  @Test
  @DisplayName("runtime should support listing stats, by id, by pod and by labels")
  void stats() {
    Container wanted = Container.named("stats");
    String id = calls.createAndStart(pod, config, wanted);
    ContainerStats one =
        Objects.requireNonNull(
            client
                .call("ContainerStats", new ContainerStatsRequest(id), ContainerStatsResponse::read)
                .stats());
    assertThat(Objects.requireNonNull(one.attributes()).id()).isEqualTo(id);
    assertThat(Objects.requireNonNull(one.attributes()).labels())
        .isEqualTo(wanted.config().labels());
    assertThat(Objects.requireNonNull(one.cpu()).timestamp()).isPositive();
    assertThat(Objects.requireNonNull(one.cpu()).usageCoreNanoSeconds()).isPositive();
    assertThat(Objects.requireNonNull(one.memory()).workingSetBytes()).isPositive();
    assertThat(
            Objects.requireNonNull(Objects.requireNonNull(one.writableLayer()).fsId()).mountpoint())
        .isEqualTo(node.folder().resolve("images").toString());
    for (ContainerStatsFilter filter :
        List.of(
            new ContainerStatsFilter(id, "", Map.of()),
            new ContainerStatsFilter("", pod, Map.of()),
            new ContainerStatsFilter("", "", wanted.config().labels()))) {
      assertThat(
              client
                  .call(
                      "ListContainerStats",
                      new ListContainerStatsRequest(filter),
                      ListContainerStatsResponse::read)
                  .stats())
          .as(filter.toString())
          .hasSize(1);
    }
  }

  @Test
  @DisplayName("runtime should support starting container with volume, also by symlink")
  void volumes(@TempDir Path folder) throws IOException {
    Path volume = Files.createDirectory(folder.resolve("volume"));
    Files.writeString(volume.resolve("file"), "content");
    Path link = Files.createSymbolicLink(folder.resolve("link"), volume);
    Mount plain = mount(volume, "/volume", false);
    Mount symbolic = mount(link, "/link", true);
    String id =
        calls.createAndStart(pod, config, Container.named("volume").mounts(plain, symbolic));
    assertThat(calls.output(id, "cat", "/volume/file", "/link/file")).isEqualTo("contentcontent");
    assertThat(calls.status(id).mounts()).containsExactly(plain, symbolic);
    assertThat(calls.exec(id, "touch", "/link/new").exitCode()).isNotZero();
    calls.output(id, "touch", "/volume/new");
    assertThat(volume.resolve("new")).exists();
  }

  private static Mount mount(Path host, String inside, boolean readonly) {
    return new Mount(
        inside,
        host.toString(),
        readonly,
        false,
        MountPropagation.PROPAGATION_PRIVATE,
        List.of(),
        List.of(),
        false,
        null,
        "",
        List.of());
  }

  @Test
  @DisplayName("runtime should support log, and reopening container log")
  void logs() throws IOException {
    String id =
        calls.createAndStart(
            pod,
            config,
            Container.named("log")
                .shell("echo first; echo second >&2; while true; do echo tick; sleep 0.1; done")
                .log("log.txt"));
    Path log = logFile("log.txt");
    awaitText(log, " stdout F tick\n");
    assertThat(Files.readString(log)).contains(" stdout F first\n").contains(" stderr F second\n");
    assertThat(calls.status(id).logPath()).isEqualTo(log.toString());

    Path rotated = Files.move(log, logFile("log.txt.1"));
    client.call("ReopenContainerLog", new ReopenContainerLogRequest(id), EmptyResponse::read);
    assertThat(log).exists();
    long size = Files.size(rotated);
    awaitText(log, " stdout F tick\n");
    assertThat(Files.size(rotated)).isEqualTo(size);
    calls.stop(id, 0);
    assertThat(client.failure("ReopenContainerLog", new ReopenContainerLogRequest(id)).getCode())
        .isEqualTo(Status.Code.FAILED_PRECONDITION);
  }

  @Test
  @DisplayName("should report OOMKilled, and 137")
  void outOfMemory() {
    String id =
        calls.createAndStart(
            pod,
            config,
            Container.named("oom")
                .shell("sleep 0.3; dd if=/dev/zero of=/dev/null bs=200M")
                .resources(
                    new LinuxContainerResources(
                        0, 0, 0, 20 << 20, 0, "", "", List.of(), Map.of(), 0)));
    Eventually.await(
        "the end",
        Duration.ofSeconds(30),
        () -> calls.status(id).state() == ContainerState.CONTAINER_EXITED);
    assertThat(calls.status(id).reason()).isEqualTo("OOMKilled");
    assertThat(calls.status(id).exitCode()).isEqualTo(137);
  }

  @Test
  void limitsCanBeChanged() {
    String id = calls.createAndStart(pod, config, Container.named("update"));
    LinuxContainerResources limits =
        new LinuxContainerResources(0, 0, 0, 64 << 20, 0, "", "", List.of(), Map.of(), 0);
    client.call(
        "UpdateContainerResources",
        new UpdateContainerResourcesRequest(id, limits, Map.of()),
        EmptyResponse::read);
    LinuxContainerResources now =
        Objects.requireNonNull(Objects.requireNonNull(calls.status(id).resources()).linux());
    assertThat(now.memoryLimitInBytes()).isEqualTo(64 << 20);
  }

  @Test
  @DisplayName("should not return error when stopping or removing what is unknown or done")
  void idempotence() {
    String unknown = "f".repeat(64);
    calls.stop(unknown, 1);
    calls.remove(unknown);
    calls.stopPod(unknown);
    calls.removePod(unknown);
    String id = calls.createAndStart(pod, config, Container.named("twice"));
    calls.stop(id, 0);
    calls.stop(id, 0);
    calls.remove(id);
    calls.remove(id);
    calls.stopPod(pod);
    calls.stopPod(pod);
    calls.removePod(pod);
    calls.removePod(pod);
  }

  @Test
  @DisplayName("should support network, container log and container exec of several containers")
  void severalContainers() {
    String web =
        calls.createAndStart(
            pod, config, Container.named("web").shell("httpd -f -p 80 -h /www").log("web.log"));
    String other =
        calls.createAndStart(
            pod, config, Container.named("other").shell("echo here; sleep 1000").log("other.log"));
    assertThat(calls.output(web, "hostname")).isEqualTo(calls.output(other, "hostname"));
    Eventually.await(
        "the server", () -> calls.exec(other, "wget", "-qO-", "http://127.0.0.1/").exitCode() == 0);
    awaitText(logFile("other.log"), " stdout F here\n");
    assertThat(listed(new ContainerFilter("", null, pod, Map.of())))
        .containsExactlyInAnyOrder(web, other);
  }

  /** A client that lost patience repeats its request under the same name. */
  @Test
  void aRepeatedCreateReturnsTheSameContainer() {
    Container wanted = Container.named("again");
    String id = calls.create(pod, config, wanted);
    assertThat(calls.create(pod, config, wanted)).isEqualTo(id);
  }

  @Test
  void whatIsUnknownIsNotFound() {
    assertThat(
            client
                .failure(
                    "CreateContainer",
                    new CreateContainerRequest(
                        "f".repeat(64), Container.named("x").config(), config))
                .getCode())
        .isEqualTo(Status.Code.NOT_FOUND);
    Status noImage =
        client.failure(
            "CreateContainer",
            new CreateContainerRequest(
                pod, Container.named("x").image("nobody/has:this").config(), config));
    assertThat(noImage.getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(noImage.getDescription()).contains("nobody/has:this").contains("pull it first");
  }
}
