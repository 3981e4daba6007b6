package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Resources are in etcd, pods in the Kubernetes API. */
class EtcdCalicoTest extends CalicoContract implements ContainerScenarios, ApiScenarios {
  @SuppressWarnings("NullAway.Init") // by start
  private static PodApi api;

  @SuppressWarnings("NullAway.Init") // by start
  private static Etcd etcd;

  @SuppressWarnings("NullAway.Init") // by start
  private static Store store;

  @BeforeAll
  static void start(@TempDir Path access) {
    etcd = new Etcd("--unsafe-no-fsync").start();
    api = PodApi.start(access);
    store = Store.etcd(etcd.url(), api);
  }

  @AfterAll
  static void stop() {
    store.close();
    api.close();
    etcd.close();
  }

  @Override
  public Store store() {
    return store;
  }

  /** The routes of calico/node between nodes are added by hand here. */
  @Test
  void podsOfTwoNodesReachEachOther(Host one, Host two, Host a, Host b, @TempDir Path others) {
    CalicoNode first = node(one);
    CalicoNode second = CalicoNode.of(two, store(), others).named("node-b");
    one.connect(two, "192.0.2.1/24", "192.0.2.2/24");
    for (String destination : new String[] {"10.65.1.0/24", "default"}) {
      one.exec("ip", "route", "add", destination, "via", "192.0.2.2");
    }
    for (String destination : new String[] {"10.65.0.0/24", "default"}) {
      two.exec("ip", "route", "add", destination, "via", "192.0.2.1");
    }
    JsonNode here = first.pod(first.kubernetes("10.65.0.0/24"), a, "test", "a").add().ok();
    Calling over = second.pod(second.kubernetes("10.65.1.0/24"), b, "test", "b");
    JsonNode there = over.add().ok();

    a.exec("ping", "-c1", "-W5", address(there, 0));
    b.exec("ping", "-c1", "-W5", address(here, 0));

    assertThat(store().endpoints())
        .extracting(endpoint -> endpoint.key().name())
        .containsExactlyInAnyOrder("node--a-k8s-a-eth0", "node--b-k8s-b-eth0");
  }
}
