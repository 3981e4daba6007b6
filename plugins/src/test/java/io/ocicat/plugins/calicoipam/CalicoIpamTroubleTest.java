package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Ran;
import io.ocicat.testkit.Loopback;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalicoIpamTroubleTest {
  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by fill
  private Cluster cluster;

  @BeforeEach
  void fill() {
    cluster = Cluster.embedded(files);
    cluster.reset();
    cluster.pool("blue", "10.65.0.0/26");
    cluster.pool("red", "fd00:65::/122");
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  /** A plugin whose datastore announces each write beforehand. */
  private CalicoIpamPlugin watched(Runnable beforeWrite) {
    return new CalicoIpamPlugin(
        config ->
            new PassingDatastore(cluster.open(config)) {
              @Override
              protected <T> T writing(Supplier<T> write) {
                beforeWrite.run();
                return super.writing(write);
              }
            },
        files.resolve("upgraded"));
  }

  /** Concurrently, because each of them waits as long as it may; on two hosts, for their locks. */
  @Test
  void aDatastoreThatIsAwayIsTroubleThatPasses(@TempDir Path elsewhere) {
    String url = "http://127.0.0.1:" + Loopback.freePort();
    try (Cluster away = Cluster.etcd(url, files);
        Cluster other = Cluster.etcd(url, elsewhere)) {
      List<Ran> all =
          AtOnce.run(
              List.of(
                  () -> away.net("").add(),
                  () -> other.net("").del(),
                  () -> other.net("").status()));
      CniException add = all.getFirst().error();
      CniException del = all.get(1).error();

      assertThat(add.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(add.msg()).startsWith("failed to request addresses: ").contains(url);
      assertThat(del.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(del.msg()).startsWith("failed to release addresses of handle net1.ctr: ");
      assertThat(all.getLast().error().code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    }
  }

  /** An API root alone asks for nothing, as in Calico. */
  @Test
  void withoutPolicyOfKubernetesNobodyAsksForTheNamespace() {
    String root =
        "\"policy\":{\"k8s_api_root\":\"http://127.0.0.1:%d\"}".formatted(Loopback.freePort());
    String args = "IgnoreUnknown=1;K8S_POD_NAME=web;K8S_POD_NAMESPACE=shop";

    assertThat(cluster.net("", root).with("CNI_ARGS", args).add().ok().path("ips").size())
        .isEqualTo(1);
  }

  @Test
  void aDatastoreThatCannotBeConfiguredIsTheConfigurationsFault() {
    for (String wrong :
        List.of(
            "\"datastore_type\":\"zookeeper\"",
            "\"datastore_type\":\"etcdv3\"",
            "\"datastore_type\":\"etcdv3\",\"etcd_endpoints\":\"10.0.0.1:2379\"")) {
      CniException error = cluster.net("", wrong).add().error();

      assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
      assertThat(error.msg()).startsWith("error creating calico client: ");
    }
  }

  /** Whatever write fails, DEL leaves nothing; before that at most the handle's own is left. */
  @Test
  void afterAFailureAtAnyWriteDelLeavesNothing() {
    String dual = "\"assign_ipv6\":\"true\"";
    boolean failed = true;
    for (int broken = 1; failed && broken < 40; broken++) {
      int[] left = {broken};
      CalicoIpamPlugin plugin =
          watched(
              () -> {
                if (--left[0] == 0) {
                  throw new UnavailableException("the datastore is away", null);
                }
              });
      Ipam net = cluster.net(dual).resident(plugin);
      var ran = net.add();
      failed = left[0] <= 0;
      if (ran.exitCode() != 0) {
        assertThat(ran.error().code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      }
      cluster.net(dual).del().ok();
      assertThat(cluster.addresses()).as("write %d failed", broken).isEmpty();
      assertThat(cluster.handles()).as("write %d failed", broken).isEmpty();
    }
    assertThat(failed).isFalse();
  }

  @Test
  void theHostsLockIsHeldWhileTheDatastoreIsWritten() {
    List<Boolean> free = Collections.synchronizedList(new ArrayList<>());
    CalicoIpamPlugin plugin = watched(() -> free.add(isFree()));
    Ipam net = cluster.net("").resident(plugin);

    net.add().ok();
    net.del().ok();

    assertThat(free).isNotEmpty().containsOnly(false);
    assertThat(isFree()).isTrue();
  }

  private boolean isFree() {
    return FileLock.tryAcquire(cluster.lockFile(), FileLock.Mode.EXCLUSIVE)
        .map(
            lock -> {
              lock.close();
              return true;
            })
        .orElse(false);
  }

  /** The datastore keeps allocations exclusive. */
  @Test
  void whoCannotHaveTheLockGoesOnWithoutIt() throws IOException {
    Path file = Files.writeString(files.resolve("no-directory"), "");
    String lock = "\"ipam_lock_file\":\"%s/ipam.lock\"".formatted(file);

    var ran = cluster.net("", lock).add();

    ran.ok();
    assertThat(ran.stderr()).contains("going on without the lock " + file);
    cluster.net("", lock).del().ok();
    assertThat(cluster.net("", "\"ipam_lock_file\":\"relative\"").add().error().msg())
        .contains("ipam_lock_file");
  }

  @Test
  void aProcessForEachCallDoesTheSame() {
    for (int i = 0; i < 5; i++) {
      try (Datastores datastores = new Datastores()) {
        CalicoIpamPlugin once = new CalicoIpamPlugin(datastores::of, files.resolve("upgraded"));
        cluster.net("").container("c" + i).resident(once).add().ok();
      }
    }
    assertThat(cluster.addresses()).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void anOperatorsChangeIsSeenByAPluginThatServesManyCalls() {
    for (int i = 0; i < 6; i++) {
      cluster.net("").container("c" + i).add().ok();
    }
    cluster.disable("blue");

    assertThat(cluster.net("").container("late").add().error().msg())
        .contains("there is no enabled IPv4 pool");
  }
}
