package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only its own DEL undoes an attachment that is in use (review R2, C1, C2). */
@Hosts
class UnaskedUndoTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final String GO = "/usr/lib/cni/";

  @TempDir Path folder;

  private final List<String> notes = new CopyOnWriteArrayList<>();

  /** The DEL of one attachment is put off; then the same interface is attached otherwise. */
  @Test
  void aDeferredDelRemovesNothingThatWasAttachedSince(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    try (DaemonProcess daemon = ocicat.startDaemon();
        Datastore datastore = CalicoPod.open(ocicat)) {
      new CalicoPod(ocicat, container, "c0").add().run();
      new CalicoPod(ocicat, container, "c0").del().run();
      for (Readder again : Readder.values()) {
        String id = again.id;
        CalicoPod pod = new CalicoPod(ocicat, container, id);
        pod.add().run();
        CalicoPod.ready(datastore, false);
        assertThat(pod.del().run().stderr()).contains("DEL will be finished later");
        again.call(ocicat, container, id, "ADD").run();
        CalicoPod.ready(datastore, true);
        Eventually.await(
            "the daemon to leave it alone, which says " + daemon.log(),
            TIMEOUT,
            () -> daemon.log().contains("what is left of calico of " + id + "/eth0 stays for now"));
        assertThat(container.exec("ip", "link").stdout()).as("%s", again).contains("eth0");
        assertThat(ocicat.records("spool")).as("%s", again).hasSize(1);

        again.call(ocicat, container, id, "DEL").run();
        Eventually.passes(
            TIMEOUT,
            () -> {
              assertThat(ocicat.records("spool")).as("%s", again).isEmpty();
              assertThat(datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items())
                  .isEmpty();
            });
      }
    }
  }

  /** Who attaches what is to stay. */
  private enum Readder {
    OTHER_PLUGIN("c1"),
    OTHER_NETWORK("c2"),
    GO_PLUGIN("c3");

    final String id;

    Readder(String id) {
      this.id = id;
    }

    Command call(Installation ocicat, Host container, String id, String verb) {
      Pod pod = new Pod(ocicat, container, id, 8080);
      return switch (this) {
        case OTHER_PLUGIN -> pod.call("bridge", verb, pod.bridgeConf());
        case OTHER_NETWORK -> pod.call("bridge", verb, renamed(pod.bridgeConf()));
        case GO_PLUGIN -> byGo(pod, verb);
      };
    }
  }

  private static String renamed(String conf) {
    return conf.replace("\"name\":\"" + Pod.NETWORK + "\"", "\"name\":\"renamed\"");
  }

  /** The same configuration with external plugins; without what they need iptables for. */
  private static Command byGo(Pod pod, String verb) {
    Command ours = pod.call("bridge", verb, pod.bridgeConf());
    Command go = pod.ocicat().host().command(GO + "bridge");
    for (String name : List.of("CNI_COMMAND", "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME")) {
      go = go.env(name, ours.environment().getOrDefault(name, ""));
    }
    return go.env("CNI_PATH", GO)
        .stdin(
            ours.stdin()
                .replace("\"cniVersion\":\"1.1.0\"", "\"cniVersion\":\"1.0.0\"")
                .replace("\"ipMasq\":true", "\"ipMasq\":false"));
  }

  /** A runtime restarts a container of ours, in another namespace, with Go's plugins. */
  @Test
  void whatGoAttachedAgainUnderTheSameNameStaysEvenWhenTheClockWasSetBack(
      Host host, Host before, Host now) throws Exception {
    Installation ocicat = Installation.in(folder, host);
    Pod ours = new Pod(ocicat, before, "c1", 8080);
    Pod restarted = new Pod(ocicat, now, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      ours.add().run();
      daemon.kill();
    }
    byGo(ours, "DEL").run();
    ReconcilerTest.removeNamespace(ocicat, before, "c1");
    String address = Pod.address(byGo(restarted, "ADD").run());
    Path lease = ocicat.leases().resolve(Pod.NETWORK).resolve(address);
    Files.setLastModifiedTime(lease, FileTime.from(Instant.EPOCH));
    Reconciler reconciler = ReconcilerTest.reconciler(ocicat, notes::add);

    on(host, () -> sweepThrice(reconciler));

    assertThat(lease).exists();
    assertThat(now.exec("ip", "addr").stdout()).contains(address);
    assertThat(notes).hasSize(1).first().asString().contains("an interface has its address");

    byGo(restarted, "DEL").run();
    on(host, () -> sweepThrice(reconciler));
    assertThat(ocicat.records("attachments")).isEmpty();
  }

  /** What libcni remembers of a container counts, whatever else is known. */
  @Test
  void aContainerThatItsRuntimeHasInAnotherNamespaceIsNotUndone(Host host, Host before, Host now)
      throws Exception {
    Installation ocicat = Installation.in(folder, host);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      new Pod(ocicat, before, "c1", 8080).add().run();
      daemon.kill();
    }
    ReconcilerTest.removeNamespace(ocicat, before, "c1");
    Path cached = remember(ocicat, "other", "c1", now.path());
    Path own = remember(ocicat, Pod.NETWORK, "c1", before.path());
    Reconciler reconciler = ReconcilerTest.reconciler(ocicat, notes::add);

    on(host, () -> sweepThrice(reconciler));
    assertThat(ocicat.records("attachments")).hasSize(1);
    assertThat(own).exists();

    Files.delete(cached);
    on(host, () -> sweepThrice(reconciler));
    assertThat(ocicat.records("attachments")).isEmpty();
    assertThat(own).as("what the runtime noted of what is no more").doesNotExist();
  }

  /** Writes a cache entry as libcni does. */
  private static Path remember(Installation ocicat, String network, String id, Path netns)
      throws IOException {
    Path results = ocicat.cniFolders().cache().resolve("results");
    Path file = results.resolve("%s-%s-eth0".formatted(network, id));
    Files.createDirectories(results);
    Files.write(
        file,
        Json.compactBytes(
            Json.object()
                .put("kind", "cniCacheV1")
                .put("containerId", id)
                .put("ifName", "eth0")
                .put("networkName", network)
                .put("netns", netns.toString())));
    return file;
  }

  /** The network's file was renamed while the container ran. */
  @Test
  void aDelInTheNameOfAnotherNetworkEndsWhatTheInterfaceWasMadeFor(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.mapPort(pod.add().run()).run();
      pod.delAll();
      List<String> nothing = Sweep.of(ocicat, container);
      pod.mapPort(pod.add().run()).run();
      List<String> attached = Sweep.of(ocicat, container);
      Path cached = remember(ocicat, Pod.NETWORK, "c1", container.path());
      Path others = remember(ocicat, Pod.NETWORK, "c2", container.path());

      pod.call("portmap", "DEL", renamed(pod.portmapConf(""))).run();
      assertThat(Sweep.difference(attached, Sweep.of(ocicat, container)))
          .as("another network's mapping is not there, and this one's stays")
          .isEmpty();
      assertThat(cached).exists();
      pod.call("bridge", "DEL", renamed(pod.bridgeConf())).run();
      assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty();
      assertThat(cached).as("nobody else would ever remove it").doesNotExist();
      assertThat(others).exists();
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  /** What earlier versions wrote is found by its former name. */
  @Test
  void recordsOfEarlierVersionsAreFound(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.add().run();
      Path attachments = ocicat.state().resolve("attachments");
      Path former = attachments.resolve(formerName("c1\neth0\nbridge"));
      Files.move(attachments.resolve(ocicat.records("attachments").getFirst()), former);
      pod.call("bridge", "DEL", renamed(pod.bridgeConf()).replace("br0", "br1")).attempt();
      pod.del().run();
      assertThat(ocicat.records("attachments")).isEmpty();
      assertThat(ocicat.records("journal")).isEmpty();
    }
  }

  private static String formerName(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void sweepThrice(Reconciler reconciler) {
    reconciler.recover(Duration.ofMinutes(1));
    for (int i = 0; i < 3; i++) {
      reconciler.collectGarbage();
    }
  }

  private static void on(Host host, Runnable work) throws Exception {
    try (NetNs own = NetNs.open(host.path())) {
      own.call(
          () -> {
            work.run();
            return true;
          });
    }
  }
}
