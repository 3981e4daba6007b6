package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.datastore.Datastore;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is deferred, what is undone, and what is recorded (review R7, C8, C10, R11, R12). */
@Hosts
class PromiseTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  @TempDir Path folder;

  /** Nothing is promised that nobody keeps. */
  @Test
  void withoutADaemonTheRuntimeHasToTryAgain(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    CalicoPod pod = new CalicoPod(ocicat, container, "c1");
    try (Datastore datastore = CalicoPod.open(ocicat)) {
      try (DaemonProcess daemon = ocicat.startDaemon()) {
        pod.add().run();
        CalicoPod.ready(datastore, false);
        pod.del().run();
        assertThat(ocicat.records("spool")).as("with a daemon").hasSize(1);
        daemon.kill();
      }
      String promised = ocicat.records("spool").getFirst();
      Output failed = pod.del().limit(TIMEOUT).attempt();
      assertThat(failed.exitCode()).as("%s", failed).isEqualTo(1);
      assertThat(failed.stderr()).doesNotContain("finished later");
      assertThat(ocicat.records("spool")).containsExactly(promised);

      CalicoPod.ready(datastore, true);
      pod.del().limit(TIMEOUT).run();
      assertThat(ocicat.records("spool")).as("its own is finished by a DEL alone").isEmpty();
      assertThat(ocicat.records("attachments")).isEmpty();
    }
    assertThat(ocicat.oneShots()).hasSize(2);
  }

  /** Kubelet deletes what it could not add. */
  @Test
  void aDelAfterAnAddWithoutEffectIsNotDeferred(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    CalicoPod pod = new CalicoPod(ocicat, container, "c1");
    try (DaemonProcess _ = ocicat.startDaemon();
        Datastore datastore = CalicoPod.open(ocicat)) {
      pod.add().run();
      pod.del().run();
      CalicoPod.ready(datastore, false);
      Output refused = pod.add().attempt();
      assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);

      Output deleted = pod.del().run();
      assertThat(deleted.stderr()).contains("ADD had no effect");
      assertThat(ocicat.records("spool")).isEmpty();
      assertThat(ocicat.records("journal")).isEmpty();
    }
  }

  /** The shim is killed when all is done, and before it has read so. */
  @Test
  void anAttachmentWhoseReplyWasLostIsUndoneAtOnce(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      pod.add().run();
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container);
      try (UnixSocket shim = new JavaClient(ocicat).connect();
          Fd own = Fd.open(host.path(), Fd.O_RDONLY, 0);
          Fd netns = Fd.open(container.path(), Fd.O_RDONLY, 0)) {
        shim.send(request(pod.add(), own, netns).bytes(), TIMEOUT, own.number(), netns.number());
        Eventually.await(
            "the answer", TIMEOUT, () -> daemon.log().contains("call=3 plugin=bridge verb=ADD"));
        assertThat(ocicat.records("attachments")).hasSize(1);
      }
      Eventually.passes(
          TIMEOUT,
          () -> assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).isEmpty());
      daemon.awaitLogged("its caller was gone before it was told of the success");
    }
  }

  /** No DEL follows. {@code -Docicat.longer=4} kills a hundred. */
  @Test
  void callersThatAreKilledAtAnyMomentLeaveNothing(Host host, Host container) throws Exception {
    long seed = Long.getLong("ocicat.seed", System.nanoTime());
    System.out.println("kills come with -Docicat.seed=" + seed);
    Random random = new Random(seed);
    Installation ocicat = Installation.in(folder, host);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      new Pod(ocicat, container, "first", 8080).add().run();
      new Pod(ocicat, container, "first", 8080).del().run();
      List<String> nothing = Sweep.of(ocicat, container);
      int kills = 25 * Integer.getInteger("ocicat.longer", 1);
      for (int kill = 0; kill < kills; kill++) {
        Pod pod = new Pod(ocicat, container, "k" + kill, 8080);
        String told;
        try (Background shim = pod.add().start()) {
          Thread.sleep(random.nextInt(30));
          Command.of("kill", "-KILL", Long.toString(shim.pid())).attempt();
          Eventually.await("its end", () -> !shim.isAlive());
          told = shim.stdout();
        }
        if (told.contains("ips")) {
          pod.del().run();
        }
        Eventually.passes(
            TIMEOUT,
            () ->
                assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container)))
                    .as("after %s, daemon: %s", pod.id(), daemon.log())
                    .isEmpty());
      }
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  private static WireRequest request(Command add, Fd own, Fd netns) {
    return new WireRequest(
        "bridge",
        add.environment(),
        add.stdin().getBytes(StandardCharsets.UTF_8),
        Duration.ofSeconds(60),
        System.nanoTime(),
        FilesystemView.own(),
        Optional.of(own),
        Optional.of(netns));
  }

  /** Records hold no secrets, neither of the caller's variables nor of the configuration. */
  @Test
  void recordsHoldNoSecrets(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    String conf =
        pod.bridgeConf()
            .replaceFirst("\\{", "{\"policy\":{\"k8s_auth_token\":\"s3cret-in-conf\"},");
    try (DaemonProcess _ = ocicat.startDaemon()) {
      pod.call("bridge", "ADD", conf)
          .env("ETCD_PASSWORD", "s3cret-of-etcd")
          .env("K8S_API_TOKEN", "s3cret-of-kubernetes")
          .env("ETCD_ENDPOINTS", "http://127.0.0.1:1")
          .run();
      Path attachments = ocicat.state().resolve("attachments");
      String record =
          Files.readString(
              attachments.resolve(ocicat.records("attachments").getFirst()),
              StandardCharsets.ISO_8859_1);
      assertThat(record).doesNotContain("s3cret").contains("ETCD_ENDPOINTS", "\"bridge\"");
      pod.call("bridge", "DEL", conf).run();
      assertThat(ocicat.records("attachments")).isEmpty();
    }
  }
}
