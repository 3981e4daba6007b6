package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.passing.Rounds;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The round trips of an attachment to a remote datastore: each thing is requested once, and
 * independent things concurrently.
 */
@Hosts
class RoundTripsTest {
  private static final int WARM = 5;

  @TempDir Path files;
  private final Rounds rounds = new Rounds();

  /** With the permissions of Calico's manifests, which include no watch. */
  @Test
  void anAttachmentOnKubernetesWaitsForTheApiFourTimes(Host host, Host pod) {
    try (PodApi api = PodApi.start(files);
        Store store = Store.kubernetes(api)) {
      store.reset();
      store.pool("pods", "10.65.0.0/24", false);
      api.cluster().before(rounds::pass);
      CalicoNode node = CalicoNode.of(host, store, files);
      Calling eth0 = node.pod(node.pooled(Families.V4), pod, "test", "web-0");

      Counted counted = count(eth0);

      assertThat(counted.add()).as("rounds of ADD").hasSizeLessThanOrEqualTo(4);
      assertThat(counted.asked(counted.add()))
          .as("requests of ADD")
          .doesNotHaveDuplicates()
          .hasSizeLessThanOrEqualTo(11);
      assertThat(counted.del()).as("rounds of DEL").hasSizeLessThanOrEqualTo(5);
      assertThat(counted.asked(counted.del())).as("requests of DEL").hasSizeLessThanOrEqualTo(9);
    }
  }

  /** Both families at the same time, with one handle. */
  @Test
  void anAttachmentWithBothFamiliesOnKubernetesWaitsForTheApiFiveTimes(Host host, Host pod) {
    try (PodApi api = PodApi.start(files);
        Store store = Store.kubernetes(api)) {
      store.reset();
      store.pool("pods", "10.65.0.0/24", false);
      store.pool("pods6", "fd00:65::/116", false);
      api.cluster().before(rounds::pass);
      CalicoNode node = CalicoNode.of(host, store, files);
      Calling eth0 = node.pod(node.pooled(Families.BOTH), pod, "test", "web-0");

      Counted counted = count(eth0);

      assertThat(counted.add()).as("rounds of ADD").hasSizeLessThanOrEqualTo(5);
      assertThat(counted.asked(counted.add())).as("requests of ADD").hasSizeLessThanOrEqualTo(14);
      assertThat(counted.del()).as("rounds of DEL").hasSizeLessThanOrEqualTo(5);
      assertThat(counted.asked(counted.del())).as("requests of DEL").hasSizeLessThanOrEqualTo(11);
    }
  }

  @Test
  void anAttachmentOnEtcdWaitsForItThreeTimes(Host host, Host pod) {
    try (Etcd etcd = new Etcd("--unsafe-no-fsync").start();
        Store store = Store.etcd(etcd.url())) {
      store.reset();
      store.pool("pods", "10.65.0.0/24", false);
      CalicoNode node = CalicoNode.of(host, store, files, this::counting);
      Calling eth0 = node.pod(node.pooled(Families.V4), pod, "test", "web-0");

      Counted counted = count(eth0);

      assertThat(counted.add()).as("rounds of ADD").hasSizeLessThanOrEqualTo(3);
      assertThat(counted.asked(counted.add()))
          .as("requests of ADD")
          .doesNotHaveDuplicates()
          .hasSizeLessThanOrEqualTo(5);
      assertThat(counted.del()).as("rounds of DEL").hasSizeLessThanOrEqualTo(3);
      assertThat(counted.asked(counted.del())).as("requests of DEL").hasSizeLessThanOrEqualTo(5);
    }
  }

  private record Counted(List<List<String>> add, List<List<String>> del) {
    List<String> asked(List<List<String>> rounds) {
      return rounds.stream().flatMap(List::stream).toList();
    }
  }

  private Counted count(Calling call) {
    for (int i = 0; i < WARM; i++) {
      call.add().ok();
      call.del().ok();
    }
    rounds.start();
    call.add().ok();
    List<List<String>> add = rounds.stop();
    rounds.start();
    call.del().ok();
    return new Counted(add, rounds.stop());
  }

  /** Pods are read from the same etcd, which counts like everything else. */
  private Datastore counting(Datastore datastore) {
    return new PassingDatastore(datastore) {
      @Override
      public Resource create(Resource resource) {
        rounds.pass("create " + resource.describe());
        return super.create(resource);
      }

      @Override
      public Resource update(Resource resource) {
        rounds.pass("update " + resource.describe());
        return super.update(resource);
      }

      @Override
      public Resource delete(ResourceKey key, @Nullable String revision) {
        rounds.pass("delete " + key.describe());
        return super.delete(key, revision);
      }

      @Override
      public WriteOutcome commit(List<Write> writes) {
        List<String> keys = new ArrayList<>();
        writes.forEach(write -> keys.add(write.key().describe()));
        rounds.pass("commit " + keys);
        return super.commit(writes);
      }

      @Override
      public Resource get(ResourceKey key) {
        rounds.pass("get " + key.describe());
        return super.get(key);
      }

      @Override
      public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
        rounds.pass("list " + query);
        return super.list(query, limit, next);
      }
    };
  }
}
