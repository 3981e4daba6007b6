package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods that are held by a runc container. */
@Hosts
class RuncPodTest {
  private TestNode node;
  private PodSandboxes pods;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
    node.network("10-blue.conflist", PodLifeTest.BRIDGE);
    pods = node.sandboxes(infra(folder));
  }

  /** Compiles our program; runc is a Debian package. */
  static RuncInfra infra(Path folder) {
    Path pause = folder.resolve("pause");
    Command.of(Path.of("src/main/c/build").toAbsolutePath().toString(), pause.toString())
        .limit(Duration.ofMinutes(2))
        .run();
    return new RuncInfra(
        RuncInfra.find("runc", "/usr/sbin:/usr/bin").orElseThrow(),
        pause,
        folder.resolve("run/runc"));
  }

  @AfterEach
  void end() {
    try {
      pods.list(SandboxFilter.ALL).forEach(pod -> pods.remove(pod.id()));
    } finally {
      node.close();
    }
  }

  private PodConfig.Builder pod(String name) {
    return PodConfig.of(new PodMetadata(name, "shop", "u-" + name, 0))
        .hostname(name)
        .logDirectory(node.folder().resolve("logs/shop_" + name).toString());
  }

  private String exec(String id, String... command) {
    return Command.of(pods.commandIn(id, List.of(command))).run().stdout();
  }

  @Test
  void containersShareWhatTheSandboxHolds() throws IOException {
    String id =
        pods.run(
            pod("web")
                .dns(new DnsConfig(List.of("10.96.0.10"), List.of("shop.svc"), List.of("ndots:5")))
                .sysctls(Map.of("kernel.shm_rmid_forced", "1", "net.ipv4.ip_forward", "1"))
                .build(),
            "");
    SandboxStatus status = pods.status(id);
    assertThat(status.state()).isEqualTo(SandboxState.READY);
    assertThat(status.pid()).isPositive();
    assertThat(exec(id, "hostname")).isEqualTo("web\n");
    assertThat(exec(id, "cat", "/etc/resolv.conf"))
        .isEqualTo("nameserver 10.96.0.10\nsearch shop.svc\noptions ndots:5\n");
    assertThat(exec(id, "ip", "-4", "-br", "addr", "show", "eth0")).contains("10.65.0.2/24");
    assertThat(exec(id, "cat", "/proc/sys/kernel/shm_rmid_forced")).isEqualTo("1\n");
    assertThat(exec(id, "cat", "/proc/sys/net/ipv4/ip_forward")).isEqualTo("1\n");
    assertThat(exec(id, "cat", "/proc/1/comm")).isEqualTo("pause\n");

    pods.start(id, "server", List.of("busybox", "nc", "-ll", "-p", "80", "-e", "echo", "hello"));
    pods.start(
        id, "sidecar", List.of("sh", "-c", "echo started; (sleep 98760 & sleep 98761) & wait"));
    assertThatThrownBy(() -> pods.start(id, "server", List.of("true")))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.EXISTS));
    Eventually.passes(
        Duration.ofSeconds(10),
        () ->
            assertThat(exec(id, "sh", "-c", "busybox nc -w5 127.0.0.1 80 </dev/null || true"))
                .contains("hello"));
    Path log = node.folder().resolve("logs/shop_web/sidecar/0.log");
    Eventually.await("the sidecar's log", () -> read(log).equals("started\n"));
    long pid = pods.status(id).containers().getFirst().process().pid();

    pods.stop(id);
    assertThat(Path.of("/proc", Long.toString(pid), "exe")).doesNotExist();
    assertThat(NetnsProcesses.of(Path.of(status.netns()))).isEmpty();
    assertThat(Command.of("pgrep", "-f", "sleep 9876[01]").attempt().stdout()).isEmpty();
    assertThat(Files.exists(log)).isTrue();
    pods.remove(id);
    assertThat(log).doesNotExist();
    assertThat(node.folder().resolve("run/runc").resolve(id)).doesNotExist();
    assertThat(node.traces()).noneMatch(line -> line.startsWith("leases/blue/10."));
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aPodWhoseProcessEndedIsNotReady() {
    String id = pods.run(pod("web").build(), "");
    Command.of("kill", "-KILL", Long.toString(pods.status(id).pid())).run();
    Eventually.await(
        "the end of the process", () -> pods.status(id).state() == SandboxState.NOTREADY);
    assertThat(pods.status(id).ips()).isEmpty();
    assertThatThrownBy(() -> pods.commandIn(id, List.of("true")))
        .hasMessageContaining("shop/web is not ready");
    pods.remove(id);
    assertThat(node.traces())
        .noneMatch(line -> line.startsWith("leases/blue/10.") || line.startsWith("run/netns"));
  }

  @Test
  void manyAtOnceShareOneFileSystemAndAddNothingToIt() throws Exception {
    List<Future<String>> started = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 12; i++) {
        PodConfig config = pod("web" + i).build();
        started.add(threads.submit(() -> pods.run(config, "")));
      }
    }
    for (Future<String> each : started) {
      assertThat(pods.status(each.get()).state()).isEqualTo(SandboxState.READY);
    }
    try (Stream<Path> all = Files.walk(node.folder().resolve("run/runc/rootfs"))) {
      assertThat(all.filter(file -> !Files.isDirectory(file)).map(Path::getFileName))
          .containsExactly(Path.of("pause"));
    }
  }

  /** Review U22: neither the files that pods share nor an empty group of ours. */
  @Test
  void theLastPodLeavesNothing() throws IOException {
    Path shared = node.folder().resolve("run/runc/rootfs");
    String web = pods.run(pod("web").build(), RuncInfra.KIND);
    String db = pods.run(pod("db").build(), RuncInfra.KIND);
    pods.remove(web);
    assertThat(shared.resolve("pause")).as("db is still there").exists();

    pods.remove(db);

    assertThat(node.folder().resolve("run/runc")).isEmptyDirectory();
    assertThat(emptyGroups()).isEmpty();
  }

  /** Cgroups of ours without a pod; others may run pods on this machine meanwhile. */
  private static List<Path> emptyGroups() throws IOException {
    try (Stream<Path> groups = Files.find(Path.of("/sys/fs/cgroup"), 2, RuncPodTest::isOurs)) {
      return groups.filter(RuncPodTest::isEmpty).toList();
    }
  }

  private static boolean isOurs(Path group, BasicFileAttributes attributes) {
    return attributes.isDirectory() && group.endsWith("ocicat");
  }

  private static boolean isEmpty(Path group) {
    try (Stream<Path> entries = Files.list(group)) {
      return entries.noneMatch(Files::isDirectory);
    } catch (IOException _) {
      return false; // It has just ended.
    }
  }

  @Test
  void withoutRuncNothingIsDone(@TempDir Path empty) {
    List<String> before = node.traces();
    PodSandboxes without =
        node.sandboxes(new RuncInfra(empty.resolve("runc"), node.folder().resolve("pause"), empty));
    assertThatThrownBy(() -> without.run(pod("web").build(), ""))
        .hasMessageContaining(empty.resolve("runc").toString())
        .hasMessageContaining("install runc");
    PodSandboxes broken =
        node.sandboxes(new RuncInfra(Path.of("/bin/false"), node.folder().resolve("pause"), empty));
    assertThatThrownBy(() -> broken.run(pod("web").build(), ""))
        .hasMessageContaining("runc create failed");
    assertThat(node.traces()).isEqualTo(before);
  }
}
