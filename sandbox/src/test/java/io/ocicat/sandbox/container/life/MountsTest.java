package io.ocicat.sandbox.container.life;

import static io.ocicat.sandbox.TestContainers.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.TestContainers;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerMount;
import io.ocicat.sandbox.container.ContainerMount.Propagation;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What critest's groups Mount Propagation, Mount Readonly, Container and Networking ask for. */
@Hosts
@Timeout(120)
class MountsTest {
  private TestContainers machine;
  private Containers containers;
  private String sandbox;
  private Path volume;

  @BeforeEach
  void start(@TempDir Path folder, Host host) throws IOException {
    TestNode node = new TestNode(folder, host);
    node.network("10-blue.conflist", BRIDGE);
    machine = new TestContainers(node);
    containers = machine.containers();
    sandbox = machine.runPod("web");
    volume = Files.createDirectory(folder.resolve("volume"));
    Files.writeString(volume.resolve("file"), "of the host\n");
  }

  @AfterEach
  void end() {
    try {
      machine.close();
    } finally {
      for (String mounted : List.of("below", "later", "")) {
        Command.of("umount", "-l", volume.resolve(mounted).toString()).attempt();
      }
    }
  }

  private String output(ContainerMount mount, String script) {
    return machine.output(sandbox, shell("main", script).mounts(List.of(mount)));
  }

  private ContainerMount mount() {
    return ContainerMount.of(volume.toString(), "/mnt");
  }

  @Test
  void volumesAreSharedWithTheHost() throws IOException {
    assertThat(output(mount(), "cat /mnt/file; echo back > /mnt/new")).isEqualTo("of the host\n");
    assertThat(volume.resolve("new")).hasContent("back\n");
    Path link = Files.createSymbolicLink(machine.folder().resolve("link"), volume);
    assertThat(output(ContainerMount.of(link.toString(), "/mnt"), "cat /mnt/file"))
        .isEqualTo("of the host\n");
    String id = machine.create(sandbox, shell("kept", "true").mounts(List.of(mount())).build());
    assertThat(containers.status(id).config().mounts()).containsExactly(mount());
    assertThatThrownBy(() -> output(ContainerMount.of("/no/such/path", "/mnt"), "true"))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FAILED))
        .hasMessageContainingAll("/no/such/path", "does not exist");
    assertThatThrownBy(() -> output(ContainerMount.of("relative", "/mnt"), "true"))
        .hasMessageContaining("must be absolute");
    ContainerMount image =
        new ContainerMount(
            "/mnt", "", true, false, Propagation.PRIVATE, false, "busybox", "", false, List.of());
    assertThatThrownBy(() -> output(image, "true"))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNSUPPORTED))
        .hasMessageStartingWith("ImageVolumeMountFailed");
  }

  @Test
  void volumesMayBeReadOnly() {
    Command.of("mkdir", volume.resolve("below").toString()).run();
    Command.of("mount", "-t", "tmpfs", "x", volume.resolve("below").toString()).run();
    String write = "touch /mnt/x && echo wrote; touch /mnt/below/x && echo wrote below";
    assertThat(output(mount().asReadOnly(false), write))
        .contains("Read-only")
        .doesNotContain("wrote\n")
        .contains("wrote below");
    assertThat(output(mount().asReadOnly(true), write)).doesNotContain("wrote");
    ContainerMount contradictory =
        new ContainerMount(
            "/mnt",
            volume.toString(),
            false,
            false,
            Propagation.PRIVATE,
            true,
            "",
            "",
            false,
            List.of());
    assertThatThrownBy(() -> output(contradictory, "true"))
        .hasMessageContaining("recursive_read_only needs readonly");
    assertThatThrownBy(
            () ->
                output(mount().asReadOnly(true).propagating(Propagation.HOST_TO_CONTAINER), "true"))
        .hasMessageContaining("private propagation");
  }

  /** rprivate, rslave, rshared. */
  @Test
  void mountsPropagate() throws IOException {
    Command.of("mount", "--bind", volume.toString(), volume.toString()).run();
    Command.of("mount", "--make-private", volume.toString()).run();
    assertThatThrownBy(() -> output(mount().propagating(Propagation.BIDIRECTIONAL), "true"))
        .hasMessageContainingAll("not a shared mount", "make-rshared");
    assertThatThrownBy(() -> output(mount().propagating(Propagation.HOST_TO_CONTAINER), "true"))
        .hasMessageContaining("not a shared or slave mount");
    Command.of("mount", "--make-shared", volume.toString()).run();
    Files.createDirectory(volume.resolve("later"));
    for (Propagation mode : Propagation.values()) {
      String id =
          machine.start(
              sandbox, shell("main", "sleep 1000").mounts(List.of(mount().propagating(mode))));
      Command.of("mount", "-t", "tmpfs", "x", volume.resolve("later").toString()).run();
      Files.writeString(volume.resolve("later/seen"), "");
      String seen = machine.exec(id, "ls", "/mnt/later");
      assertThat(seen).isEqualTo(mode == Propagation.PRIVATE ? "" : "seen\n");
      Command.of("umount", volume.resolve("later").toString()).run();
      containers.remove(id);
    }
  }

  @Test
  void aMountReplacesTheDefaultOfItsPath() throws IOException {
    Files.writeString(volume.resolve("hosts"), "10.0.0.1 mine\n");
    assertThat(
            output(
                ContainerMount.of(volume.resolve("hosts").toString(), "/etc/hosts"),
                "cat /etc/hosts"))
        .isEqualTo("10.0.0.1 mine\n");
    assertThat(output(ContainerMount.of(volume.toString(), "/dev/shm"), "cat /dev/shm/file"))
        .isEqualTo("of the host\n");
  }

  /** Also critest's "DNS config" and "hostname". */
  @Test
  void containersOfAPodShareItsFilesAndMemory() {
    String pod =
        machine
            .pods()
            .run(
                machine
                    .pod("db")
                    .dns(new DnsConfig(List.of("10.10.10.10"), List.of("shop.svc"), List.of()))
                    .build(),
                "");
    String writer = machine.start(pod, shell("a", "echo shared > /dev/shm/x; sleep 1000"));
    assertThat(machine.exec(writer, "cat", "/etc/resolv.conf"))
        .isEqualTo("nameserver 10.10.10.10\nsearch shop.svc\n");
    assertThat(machine.exec(writer, "cat", "/etc/hosts")).contains("localhost");
    String reader = machine.start(pod, shell("b", "sleep 1000"));
    assertThat(machine.exec(reader, "cat", "/dev/shm/x")).isEqualTo("shared\n");
    assertThat(machine.exec(reader, "stat", "-c", "%a", "/dev/shm")).isEqualTo("1777\n");
    String other = machine.start(sandbox, shell("c", "sleep 1000"));
    assertThat(machine.exec(other, "ls", "/dev/shm")).isEmpty();
    machine.pods().remove(pod);
    assertThat(machine.folder().resolve("run/shm").resolve(pod)).doesNotExist();
  }

  @Test
  void theVolumesOfAnImageBeginWithItsFiles() {
    ContainerImage image =
        new ContainerImage(
            "i", "", "", List.of(), List.of(), List.of(), "", List.of("/data", "/new"), "");
    String id =
        machine
            .pods()
            .createContainer(
                sandbox,
                shell("main", "cat /data/file; echo more > /data/file; ls -d /new; sleep 1000")
                    .build(),
                image,
                new byte[0]);
    containers.start(id);
    Eventually.await(
        "its output",
        () -> TestContainers.printed(containers.status(id)).equals("of the image\n/new\n"));
    assertThat(machine.folder().resolve("rootfs/" + id + "/data/file"))
        .hasContent("of the image\n");
    containers.remove(id);
    assertThat(machine.folder().resolve("state/containers/" + id)).doesNotExist();
  }

  @Test
  void aPodHasANetworkOfItsOwn() {
    String pod = machine.pods().run(machine.pod("net").network(NamespaceMode.POD).build(), "");
    String id = machine.start(pod, shell("main", "sleep 1000"));
    assertThat(machine.exec(id, "hostname")).isEqualTo("net\n");
    String ip = machine.pods().status(pod).ips().getFirst();
    assertThat(machine.exec(id, "cat", "/etc/hosts")).contains(ip + "\tnet\n");
    assertThat(machine.exec(id, "cat", "/proc/sys/net/ipv4/ip_unprivileged_port_start"))
        .isEqualTo("0\n");
    assertThat(machine.exec(id, "cat", "/proc/sys/net/ipv4/ping_group_range"))
        .isEqualTo("0\t2147483647\n");
    machine.pods().remove(pod);
  }

  private static final String BRIDGE =
      """
      {"cniVersion": "1.0.0", "name": "blue", "plugins": [
        {"type": "bridge", "bridge": "br0", "isGateway": true,
         "ipam": {"type": "host-local", "dataDir": "@folder@/leases",
                  "ranges": [[{"subnet": "10.65.0.0/24"}]]}}]}
      """;
}
