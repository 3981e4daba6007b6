package io.ocicat.sandbox.container.life;

import static io.ocicat.sandbox.TestContainers.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.LinuxResources.HugepageLimit;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodSecurity;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.SecurityProfile;
import io.ocicat.sandbox.TestContainers;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerDevice;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerSecurity;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What critest's group Security Context asks for. */
@Hosts
@Timeout(180)
class SecurityContextTest {
  private TestContainers machine;
  private Containers containers;
  private String sandbox;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    machine = new TestContainers(new TestNode(folder, host));
    containers = machine.containers();
    sandbox = machine.runPod("web");
  }

  @AfterEach
  void end() {
    machine.close();
  }

  private static void fails(Reason reason, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContainingAll(words);
  }

  private String output(ContainerSecurity.Builder security, String script) {
    return machine.output(sandbox, shell("main", script).security(security.build()));
  }

  private static ContainerSecurity.Builder security() {
    return ContainerSecurity.builder();
  }

  private static ContainerSecurity.Builder as(Long uid, String name, Long gid) {
    return security().user(uid, name, gid);
  }

  /** RunAsUser, RunAsUserName, RunAsGroup, SupplementalGroups. */
  @Test
  void whomAContainerRunsAs() {
    assertThat(output(security(), "id")).isEqualTo("uid=0(root) gid=0(root) groups=0(root)\n");
    assertThat(output(security().user(33L, "", null), "id -u; id -g")).isEqualTo("33\n34\n");
    assertThat(output(security().user(4711L, "", null), "id -u; id -g; id -G"))
        .isEqualTo("4711\n0\n0\n");
    assertThat(output(security().user(null, "www-data", null), "id -un")).isEqualTo("www-data\n");
    assertThat(output(as(33L, "", 77L), "id -g; id -G")).isEqualTo("77\n77\n");
    assertThat(output(security().groups(List.of(5L, 6L), false), "id -G")).isEqualTo("0 5 6\n");
    assertThat(output(as(1000L, "", 1001L).groups(List.of(5L), false), "id -G"))
        .isEqualTo("1001 5 50000\n");
    assertThat(output(as(1000L, "", 1001L).groups(List.of(5L), true), "id -G"))
        .isEqualTo("1001 5\n");
    fails(
        Reason.INVALID,
        () -> output(security().user(null, "nobody-here", null), "id"),
        "nobody-here",
        "/etc/passwd");
    fails(
        Reason.INVALID,
        () -> output(security().user(null, "", null).user(null, "", 5L), "id"),
        "run_as_group needs");
    fails(
        Reason.INVALID,
        () -> output(security().user(1L << 32, "", null), "id"),
        "run_as_user must");
  }

  /** Of critest's images: uid, username, uid:group, username:group. */
  @Test
  void theImagesUserCountsWhenNothingElseIsSaid() {
    assertThat(imageUser("1002")).isEqualTo("1002 0");
    assertThat(imageUser("www-data")).isEqualTo("33 34");
    assertThat(imageUser("1003:1004")).isEqualTo("1003 1004");
    assertThat(imageUser("www-data:staff")).isEqualTo("33 50000");
    assertThatThrownBy(() -> imageUser("4294967296")).hasMessageContaining("4294967296");
  }

  private String imageUser(String user) {
    ContainerImage image =
        new ContainerImage(
            "i", "", user, List.of(), List.of("/bin/sleep"), List.of("1000"), "", List.of(), "");
    String id =
        machine
            .pods()
            .createContainer(
                sandbox, ContainerConfig.of("main", 0, "x").build(), image, new byte[0]);
    ContainerStatus status = containers.status(id);
    containers.remove(id);
    return status.user().uid() + " " + status.user().gid();
  }

  @Test
  void capabilities() {
    String bits = "grep CapEff /proc/self/status | sed 's/.*\t//'";
    assertThat(output(security(), bits)).isEqualTo("00000000a80425fb\n");
    assertThat(output(caps(List.of("net_admin"), List.of()), bits)).isEqualTo("00000000a80435fb\n");
    assertThat(output(caps(List.of("CAP_NET_ADMIN"), List.of("ALL")), bits))
        .isEqualTo("0000000000001000\n");
    assertThat(output(caps(List.of(), List.of("chown")), bits)).isEqualTo("00000000a80425fa\n");
    String own =
        TestContainers.read(Path.of("/proc/self/status"))
            .replaceAll("(?s).*CapBnd:\\s(\\w+).*", "$1");
    assertThat(output(caps(List.of("ALL"), List.of()), bits)).isEqualTo(own + "\n");
    // Not in the bounding set of this machine: asked for, and left out.
    assertThat(output(caps(List.of("SYS_RESOURCE"), List.of()), "echo ok")).isEqualTo("ok\n");
    assertThat(
            output(
                security()
                    .user(33L, "", null)
                    .capabilities(List.of(), List.of(), List.of("NET_BIND_SERVICE")),
                "grep CapAmb /proc/self/status | sed 's/.*\t//'"))
        .isEqualTo("0000000000000400\n");
    fails(Reason.INVALID, () -> output(caps(List.of("FLY"), List.of()), "true"), "FLY");
  }

  private static ContainerSecurity.Builder caps(List<String> add, List<String> drop) {
    return security().capabilities(add, drop, List.of());
  }

  @Test
  void theRootMayBeReadOnly() {
    assertThat(output(security(), "touch /x && echo written")).isEqualTo("written\n");
    assertThat(output(security().readonlyRootfs(true), "touch /x || echo refused"))
        .contains("Read-only file system", "refused");
  }

  @Test
  void pathsAreMaskedAndReadOnly() {
    String look = "cat /proc/timer_list | wc -c; grep ' /proc/sys ' /proc/self/mounts";
    assertThat(output(security().paths(List.of("/proc/timer_list"), List.of("/proc/sys")), look))
        .startsWith("0\n")
        .contains(" ro,");
    assertThat(output(security(), "cat /proc/timer_list | wc -c")).isNotEqualTo("0\n");
  }

  @Test
  void privilegedContainersNeedPrivilegedSandboxes() {
    ContainerSecurity.Builder all = security().privileged(true);
    fails(Reason.INVALID, () -> output(all, "true"), "privileged sandbox");
    String privileged =
        machine.pods().run(machine.pod("p").security(PodSecurity.PRIVILEGED).build(), "");
    String script =
        "mount -t tmpfs x /tmp && echo mounted; ls /dev | grep -c .; stat -c %a /dev/null";
    String printed = machine.output(privileged, shell("main", script).security(all.build()));
    assertThat(printed).startsWith("mounted\n");
    assertThat(output(security(), "mount -t tmpfs x /tmp || echo refused")).contains("refused");
  }

  @Test
  void seccompProfiles() throws IOException {
    String script = "unshare -U true; hostname changed; chmod 700 /data && echo changed";
    String unconfined = output(caps(List.of("SYS_ADMIN"), List.of()), "unshare -m true && echo ok");
    assertThat(unconfined).isEqualTo("ok\n");
    assertThat(
            output(
                caps(List.of("SYS_ADMIN"), List.of()).seccomp(SecurityProfile.RUNTIME_DEFAULT),
                "unshare -m true && echo ok"))
        .as("the profile follows the capabilities")
        .isEqualTo("ok\n");
    assertThat(output(security().seccomp(SecurityProfile.RUNTIME_DEFAULT), script))
        .contains("Operation not permitted", "sethostname", "changed\n");
    Path profile = machine.folder().resolve("profile.json");
    Files.writeString(
        profile,
        """
        {"defaultAction": "SCMP_ACT_ALLOW", "syscalls":
          [{"names": ["chmod", "fchmodat", "fchmodat2"], "action": "SCMP_ACT_ERRNO"}]}
        """);
    assertThat(output(security().seccomp(SecurityProfile.local(profile.toString())), script))
        .contains("Operation not permitted")
        .doesNotContain("changed");
    fails(
        Reason.INVALID,
        () -> output(security().seccomp(SecurityProfile.local("/no/such")), script),
        "/no/such");
  }

  @Test
  void newPrivilegesCanBeForbidden() {
    String look = "grep NoNewPrivs /proc/self/status | sed 's/.*\t//'";
    assertThat(output(security().noNewPrivileges(true), look)).isEqualTo("1\n");
    assertThat(output(security(), look)).isEqualTo("0\n");
  }

  /** HostPID, PodPID, ContainerPID, HostIPC, and the namespace of another container. */
  @Test
  void namespaces() throws IOException {
    assertThat(output(modes(NamespaceMode.CONTAINER, NamespaceMode.POD), "echo $$"))
        .isEqualTo("1\n");
    assertThat(output(modes(NamespaceMode.POD, NamespaceMode.POD), "cat /proc/1/comm"))
        .isEqualTo("pause\n");
    String host = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
    assertThat(output(modes(NamespaceMode.NODE, NamespaceMode.POD), "readlink /proc/self/ns/pid"))
        .isEqualTo(host + "\n");
    String ipc = Files.readSymbolicLink(Path.of("/proc/self/ns/ipc")).toString();
    assertThat(output(modes(NamespaceMode.POD, NamespaceMode.NODE), "readlink /proc/self/ns/ipc"))
        .isEqualTo(ipc + "\n");
    String target =
        machine.start(
            sandbox,
            shell("target", "sleep 1000")
                .security(modes(NamespaceMode.CONTAINER, NamespaceMode.POD).build()));
    ContainerSecurity.Builder sharing =
        modes(NamespaceMode.TARGET, NamespaceMode.POD).target(target.substring(0, 20));
    assertThat(output(sharing, "cat /proc/1/comm; ps | grep -c 'sleep 100[0]'"))
        .isEqualTo("sleep\n1\n");
    containers.stop(target, Duration.ZERO);
    fails(Reason.NOT_READY, () -> output(sharing, "true"), "not running");
  }

  private static ContainerSecurity.Builder modes(NamespaceMode pid, NamespaceMode ipc) {
    return security().namespaces(NamespaceMode.POD, pid, ipc);
  }

  @Test
  void devices() {
    ContainerConfig.Builder config =
        shell(
                "main",
                "ls -l /dev/one /dev/many | sed 's/ .*,/ ,/'; dd if=/dev/one bs=1 count=1 | wc -c")
            .devices(
                List.of(
                    new ContainerDevice("/dev/one", "/dev/zero", "r"),
                    new ContainerDevice("/dev/many", "/dev/null", "rwm")));
    assertThat(machine.output(sandbox, config)).contains("/dev/one", "/dev/many", "1\n");
    ContainerConfig file =
        shell("file", "true")
            .devices(List.of(new ContainerDevice("/dev/x", "/etc/passwd", "r")))
            .build();
    fails(Reason.INVALID, () -> machine.create(sandbox, file), "not a device");
  }

  /** What kubelet always states, and this machine does not have. */
  @Test
  void limitsThatTheMachineLacksAreLeftOut() {
    LinuxResources kubelets =
        new LinuxResources(
            100_000,
            20_000,
            102,
            64 << 20,
            -997,
            "",
            "",
            List.of(new HugepageLimit("2MB", 0), new HugepageLimit("1GB", 0)),
            Map.of("memory.oom.group", "1"),
            0);
    assertThat(
            machine.output(
                sandbox,
                shell("main", "cat /proc/self/oom_score_adj; ulimit -n").resources(kubelets)))
        .matches("-?\\d+\n1024\n");
  }

  @Test
  void variablesArgumentsAndDirectories() {
    ContainerImage image =
        new ContainerImage(
            "i",
            "",
            "",
            List.of("A=image", "B=image"),
            List.of("/bin/echo", "entry"),
            List.of("cmd"),
            "/data",
            List.of(),
            "");
    assertThat(printedBy(image, ContainerConfig.of("main", 0, "x"))).isEqualTo("entry cmd\n");
    assertThat(
            printedBy(
                image, ContainerConfig.of("main", 0, "x").command(List.of(), List.of("mine"))))
        .isEqualTo("entry mine\n");
    assertThat(
            printedBy(
                image,
                ContainerConfig.of("main", 0, "x")
                    .command(List.of("/bin/sh", "-c"), List.of("echo $A $B $HOSTNAME; pwd"))
                    .env(Map.of("B", "config"))))
        .matches("image config \\S+\n/data\n");
    fails(
        Reason.INVALID,
        () -> machine.create(sandbox, ContainerConfig.of("main", 0, "x").build()),
        "no command");
  }

  private String printedBy(ContainerImage image, ContainerConfig.Builder config) {
    String id =
        machine
            .pods()
            .createContainer(sandbox, config.logPath("main.log").build(), image, new byte[0]);
    containers.start(id);
    String printed = TestContainers.printed(machine.awaitExit(id));
    containers.remove(id);
    try {
      Files.delete(machine.logs("web").resolve("main.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return printed;
  }
}
