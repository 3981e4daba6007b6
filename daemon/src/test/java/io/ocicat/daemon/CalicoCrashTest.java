package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/**
 * calico under the daemon with the embedded datastore: when it is killed in the middle of its calls
 * it leaves neither kernel objects nor records, and a DEL that the datastore does not let finish is
 * finished later.
 */
@Hosts
class CalicoCrashTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int DAEMON_KILLS = 2;
  private static final ResourceKey.Named READY =
      new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");

  @TempDir Path folder;

  private final long seed = Long.getLong("ocicat.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private static Command call(Installation ocicat, Host container, String verb) {
    String config =
        """
        {"cniVersion": "1.1.0", "name": "%s", "type": "calico", "datastore_type": "embedded",
         "nodename": "node-a", "nodename_file_optional": true, "policy": {"type": "k8s"},
         "ipam": {"type": "host-local", "dataDir": "%s", "ranges": [[{"subnet": "10.65.0.0/24"}]]}}
        """
            .formatted(Pod.NETWORK, ocicat.leases());
    return ocicat
        .call("calico", verb, config)
        .env("CNI_CONTAINERID", "c1")
        .env("CNI_IFNAME", "eth0")
        .env("CNI_NETNS", container.path().toString())
        .env("CNI_ARGS", "K8S_POD_NAME=web-0;K8S_POD_NAMESPACE=test");
  }

  private static Datastore open(Installation ocicat) {
    return Datastores.openOwn(new DatastoreConfig.Embedded(ocicat.state()));
  }

  private static List<String> sweep(Installation ocicat, Host container, Datastore datastore) {
    List<String> found = new ArrayList<>(Sweep.of(ocicat, container));
    datastore
        .list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT))
        .items()
        .forEach(endpoint -> found.add(endpoint.describe()));
    return found;
  }

  @Test
  void whateverIsKilledLeavesNothing(Host host, Host container) {
    System.out.println("crash points are chosen with -Docicat.seed=" + seed);
    Installation ocicat = Installation.in(folder, host);
    StopSign sign = new StopSign(ocicat.control());
    DaemonProcess daemon = ocicat.startDaemon();
    try (Datastore datastore = open(ocicat)) {
      call(ocicat, container, "ADD").run();
      call(ocicat, container, "DEL").run();
      List<String> nothing = sweep(ocicat, container, datastore);
      for (String verb : List.of("ADD", "DEL")) {
        int points = pointsOf(ocicat, container, sign, verb);
        for (int kill = 0; kill < DAEMON_KILLS; kill++) {
          if (verb.equals("DEL")) {
            call(ocicat, container, "ADD").run();
          }
          int point = 1 + random.nextInt(points);
          sign.stopAt(point);
          try (Background _ = call(ocicat, container, verb).start()) {
            sign.awaitReached();
            daemon.close();
          }
          sign.remove();
          daemon = ocicat.startDaemon();
          call(ocicat, container, "DEL").run();
          assertThat(Sweep.difference(nothing, sweep(ocicat, container, datastore)))
              .as("%s killed at %d", verb, point)
              .isEmpty();
        }
      }
    } finally {
      daemon.close();
    }
  }

  private static int pointsOf(Installation ocicat, Host container, StopSign sign, String verb) {
    if (verb.equals("DEL")) {
      call(ocicat, container, "ADD").run();
    }
    sign.stopAt(Integer.MAX_VALUE);
    call(ocicat, container, verb).run();
    int points = sign.passed().size();
    sign.remove();
    if (verb.equals("ADD")) {
      call(ocicat, container, "DEL").run();
    }
    assertThat(points).isGreaterThan(3);
    return points;
  }

  @Test
  void aDelThatTheDatastoreDoesNotLetFinishIsFinishedLater(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    try (DaemonProcess _ = ocicat.startDaemon();
        Datastore datastore = open(ocicat)) {
      call(ocicat, container, "ADD").run();
      ready(datastore, false);

      Output promised = call(ocicat, container, "DEL").run();

      assertThat(promised.stderr()).contains("DEL will be finished later", "not ready");
      assertThat(host.exec("ip", "link").stdout()).doesNotContain("cali");
      assertThat(datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()).hasSize(1);
      ready(datastore, true);
      Eventually.passes(
          TIMEOUT,
          () -> {
            assertThat(datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()).isEmpty();
            assertThat(ocicat.records("spool")).isEmpty();
          });
    }
  }

  private static void ready(Datastore datastore, boolean ready) {
    Resource information = datastore.get(READY);
    datastore.update(
        information.edit(
            document -> ((ObjectNode) document.path("spec")).put("datastoreReady", ready)));
  }
}
