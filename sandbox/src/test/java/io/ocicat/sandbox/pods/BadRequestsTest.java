package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.store.Checkpoint;
import io.ocicat.sandbox.store.Checkpoints;
import io.ocicat.sandbox.store.SandboxStore;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Invalid requests, and sandboxes whose files were lost. */
@Hosts
class BadRequestsTest {
  private TestNode node;
  private PodSandboxes pods;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
    node.network("10-blue.conflist", PodLifeTest.BRIDGE);
    pods = node.sandboxes();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private static PodConfig.Builder hostPod(String name) {
    return PodConfig.of(new PodMetadata(name, "shop", "u-1", 0)).network(NamespaceMode.NODE);
  }

  private static void fails(Reason reason, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContainingAll(words);
  }

  @Test
  void aRequestThatMakesNoSenseDoesNothing() {
    List<String> before = node.traces();
    PodConfig nameless = PodConfig.of(new PodMetadata("", "", "", 0)).build();
    fails(Reason.INVALID, () -> pods.run(nameless, ""), "metadata.name is missing", "uid");
    PodConfig fast =
        PodConfig.of(new PodMetadata("a", "b", "c", 0))
            .annotations(Map.of("kubernetes.io/egress-bandwidth", "fast"))
            .build();
    fails(Reason.INVALID, () -> pods.run(fast, ""), "egress-bandwidth", "\"fast\"");
    fails(Reason.INVALID, () -> pods.run(hostPod("a").build(), "gvisor"), "\"gvisor\"", "none");
    PodConfig ipc = hostPod("a").sysctls(Map.of("kernel.shm_rmid_forced", "1")).build();
    fails(Reason.INVALID, () -> pods.run(ipc, ""), "kernel.shm_rmid_forced", "runc");
    PodConfig elsewhere =
        PodConfig.of(new PodMetadata("a", "b", "c", 0)).networkName("green").build();
    fails(Reason.NOT_READY, () -> pods.run(elsewhere, ""), "green");
    PodConfig logs = hostPod("a").logDirectory("/proc/nowhere/logs").build();
    fails(Reason.FAILED, () -> pods.run(logs, ""), "/proc/nowhere/logs");
    assertThat(node.traces()).isEqualTo(before);
  }

  @Test
  void aNameBelongsToOne() {
    String first = pods.run(hostPod("web").build(), "");
    fails(
        Reason.EXISTS,
        () -> pods.run(hostPod("web").build(), ""),
        "k8s_POD_web_shop_u-1_0",
        first.substring(0, 13));
    PodConfig next =
        PodConfig.of(new PodMetadata("web", "shop", "u-1", 1)).network(NamespaceMode.NODE).build();
    fails(Reason.EXISTS, () -> pods.run(next, "", true, new PodTrace()), "shop/web");
    String second = pods.run(next, "");
    assertThat(pods.ofPod("shop", "web")).containsExactlyInAnyOrder(first, second);
    pods.remove(first);
    pods.remove(second);
    pods.remove(pods.run(hostPod("web").build(), "", true, new PodTrace()));
  }

  @Test
  void idsMayBeShortened() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      ids.add(pods.run(hostPod("p" + i).build(), ""));
    }
    // Of 17 ids at least two begin with the same of 16 digits.
    String ambiguous =
        ids.stream()
            .map(id -> id.substring(0, 1))
            .filter(digit -> ids.stream().filter(id -> id.startsWith(digit)).count() > 1)
            .findFirst()
            .orElseThrow();
    fails(Reason.AMBIGUOUS, () -> pods.stop(ambiguous), ambiguous, "longer prefix");
    fails(Reason.AMBIGUOUS, () -> pods.remove(ambiguous), ambiguous);
    fails(Reason.AMBIGUOUS, () -> pods.status(ambiguous), ambiguous);
    assertThat(pods.status(ids.getFirst().substring(0, 13)).id()).isEqualTo(ids.getFirst());
    pods.remove(ids.getFirst().substring(0, 13));
    fails(Reason.NOT_FOUND, () -> pods.status(ids.getFirst()), ids.getFirst().substring(0, 20));
    fails(Reason.INVALID, () -> pods.stop(""), "missing");
    pods.stop("../../etc");
    pods.remove("f".repeat(64));
  }

  @Test
  void listsAreFiltered() {
    String a = pods.run(hostPod("a").labels(Map.of("app", "web", "tier", "front")).build(), "");
    String b = pods.run(hostPod("b").labels(Map.of("app", "web")).build(), "");
    String c = pods.run(hostPod("c").annotations(Map.of("note", "x\ny")).build(), "");
    assertThat(pods.list(SandboxFilter.ALL)).extracting(SandboxStatus::id).containsExactly(c, b, a);
    assertThat(pods.list(SandboxFilter.ALL).getFirst().config().annotations())
        .containsExactly(Map.entry("note", "x\ny"));
    pods.stop(b);
    assertThat(ids(new SandboxFilter("", null, Map.of("app", "web")))).containsExactly(b, a);
    assertThat(ids(new SandboxFilter("", SandboxState.READY, Map.of("app", "web"))))
        .containsExactly(a);
    assertThat(ids(new SandboxFilter("", SandboxState.NOTREADY, Map.of()))).containsExactly(b);
    assertThat(ids(new SandboxFilter(a.substring(0, 20), null, Map.of()))).containsExactly(a);
  }

  private List<String> ids(SandboxFilter filter) {
    return pods.list(filter).stream().map(SandboxStatus::id).toList();
  }

  private Path record(String id) {
    return node.folder().resolve("state/records").resolve(id).resolve("record.json");
  }

  @Test
  void aSandboxOfWhichOnlyTheCheckpointIsLeftCanBeRemoved() throws IOException {
    String id = pods.run(PodConfig.of(new PodMetadata("web", "shop", "u-1", 0)).build(), "");
    Files.delete(record(id));
    Files.delete(record(id).resolveSibling("resolv.conf"));
    Files.delete(record(id).getParent());
    assertThat(pods.list(SandboxFilter.ALL))
        .singleElement()
        .satisfies(
            left -> {
              assertThat(left.id()).isEqualTo(id);
              assertThat(left.state()).isEqualTo(SandboxState.NOTREADY);
              assertThat(left.config().metadata().pod()).isEqualTo("shop/web");
            });
    assertThat(pods.list(new SandboxFilter("", SandboxState.NOTREADY, Map.of()))).isEmpty();
    pods.remove(id);
    assertThat(pods.list(SandboxFilter.ALL)).isEmpty();
    assertThat(node.traces())
        .noneMatch(line -> line.startsWith("leases/blue/10.") || line.startsWith("run/netns"));
    pods.remove(pods.run(PodConfig.of(new PodMetadata("web", "shop", "u-1", 0)).build(), ""));
  }

  @Test
  void damagedFilesStopNobody() throws IOException {
    String id = pods.run(PodConfig.of(new PodMetadata("web", "shop", "u-1", 0)).build(), "");
    Files.writeString(record(id), "{\"id\":");
    Files.writeString(node.folder().resolve("state/sandbox").resolve(id), "garbage");
    assertThat(pods.recover()).isEmpty();
    fails(Reason.CORRUPT, () -> pods.status(id), id);
    pods.remove(id);
    assertThat(node.traces())
        .noneMatch(
            line ->
                line.startsWith("leases/blue/10.")
                    || line.startsWith("run/netns")
                    || line.startsWith("state/sandbox"));
  }

  @Test
  void danglingFilesAreRemovedAtTheStart() throws IOException {
    String id = "e".repeat(64);
    Checkpoints checkpoints = new Checkpoints(node.folder().resolve("state/sandbox"));
    checkpoints.put("d".repeat(64), new Checkpoint("gone", "shop", List.of(), false));
    new NamedNetNs(node.folder().resolve("run/netns")).create("pod-" + id).close();
    SandboxStore store = new SandboxStore(node.folder().resolve("state"));
    Files.createDirectories(store.folder("c".repeat(64)));
    store.markBegun("b".repeat(64), new PodMetadata("gone", "shop", "u-1", 0));
    assertThat(pods.recover()).isEmpty();
    assertThat(store.begun()).isEmpty();
    assertThat(store.ids()).isEmpty();
    assertThat(node.folder().resolve("run/netns/pod-" + id)).doesNotExist();
    // It is listed, and can be removed.
    pods.remove("d".repeat(64));
    assertThat(checkpoints.list()).isEmpty();
  }
}
