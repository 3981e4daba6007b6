package io.ocicat.plugins.calico;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * A Kubernetes API that rejects us, or is unreachable: the error says what to do, nothing stays,
 * and DEL cleans up this machine.
 */
@Hosts
class CalicoTroubleTest {
  @TempDir Path files;
  @TempDir Path access;

  @SuppressWarnings("NullAway.Init") // by open
  private PodApi api;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @BeforeEach
  void open() {
    api = PodApi.start(access);
    store = Store.kubernetes(api);
    store.reset();
    store.pool("pods", "10.65.0.0/24", false);
  }

  @AfterEach
  void close() {
    store.close();
    api.close();
  }

  private CalicoNode node(Host host) {
    return CalicoNode.of(host, store, files);
  }

  private static Calling web(CalicoNode node, Host pod) {
    return node.pod(node.pooled(Families.V4), pod, "test", "web-0");
  }

  private void assertNothingStays(CalicoNode node, Host pod) {
    assertThat(node.traces()).isEmpty();
    assertThat(pod.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
    assertThat(store.assigned()).isEmpty();
  }

  /** An interface that VPP does not know would be worse than none (review K17). */
  @Test
  void whatAnotherDataplaneIsToMakeIsNotMade(Host host, Host pod) {
    CalicoNode node = node(host);
    ObjectNode config = node.pooled(Families.V4);
    config.putObject("dataplane_options").put("type", "grpc").put("socket", "/run/vpp.sock");

    CniException refused = node.pod(config, pod, "test", "web-0").add().error();

    assertThat(refused.code().value()).isEqualTo(7);
    assertThat(refused.msg()).contains("dataplane_options.type must not be grpc", "VPP");
    assertNothingStays(node, pod);
  }

  @Test
  void aRefusedTokenIsToldAndItsSuccessorUsedAtOnce(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = web(node, pod);
    api.cluster().revoke(PodApi.TOKEN);

    CniException refused = eth0.add().error();

    assertThat(refused.msg())
        .startsWith("error getting ClusterInformation: connection is unauthorized: ")
        .contains(api.kubeconfig().toString(), "renew it", "ocicat install --calico --renew");
    assertThat(eth0.status().error().code().value()).isEqualTo(50);
    assertNothingStays(node, pod);
    api.cluster().grant("successor", PodApi.permissions());
    api.token("successor");
    eth0.add().ok();

    api.cluster().revoke("successor");
    assertThat(eth0.del().error().msg())
        .startsWith("error getting ClusterInformation: connection is unauthorized: ");
    assertThat(host.exec("ip", "link").stdout()).as("the local part").doesNotContain("cali");
    assertThat(store.assigned()).as("nobody may release it").hasSize(1);
    api.cluster().grant("third", PodApi.permissions());
    api.token("third");
    eth0.withNetns("").del().ok();
    assertNothingStays(node, pod);
  }

  @Test
  void anExpiredTokenSaysSince(Host host, Host pod) {
    String claims = "{\"exp\":1767225600}";
    api.token(
        "e30.%s.x"
            .formatted(
                Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(UTF_8))));

    CniException refused = web(node(host), pod).add().error();

    assertThat(refused.msg())
        .contains("connection is unauthorized", "which ends at 2026-01-01T00:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "get clusterinformations.crd.projectcalico.org, error getting ClusterInformation:",
    "get pods, error listing endpoints:",
    "get namespaces, error getting namespace test:",
    "get nodes, failed to request addresses:",
    "list ippools.crd.projectcalico.org, failed to request addresses:",
    "create ipamhandles.crd.projectcalico.org, failed to request addresses:",
    "patch pods/status, error writing endpoint:"
  })
  void aMissingRightIsNamedAndNothingStays(String right, String where, Host host, Host pod) {
    CalicoNode node = node(host);
    Set<String> fewer = new HashSet<>(PodApi.permissions());
    fewer.remove(right);
    api.cluster().grant("fewer", fewer);
    api.token("fewer");

    CniException refused = web(node, pod).add().error();

    List<String> words = List.of(right.split(" ", 2));
    assertThat(refused.msg())
        .startsWith(where + " connection is unauthorized: ")
        .contains("allow \"%s\" on %s".formatted(words.getFirst(), words.getLast()));
    assertNothingStays(node, pod);
  }

  @Test
  void aMissingKubeconfigIsNamed(Host host, Host pod) throws Exception {
    CalicoNode node = node(host);
    Files.delete(api.kubeconfig());

    CniException refused = web(node, pod).add().error();

    assertThat(refused.msg()).contains(api.kubeconfig().toString(), "does not exist");
    assertNothingStays(node, pod);
  }

  /** Concurrently, because each of them waits as long as it may. */
  @Test
  void withoutAnAnswerDelDoesItsLocalPartAndTheRestLater(Host host, Host pod, Host next) {
    CalicoNode node = node(host);
    Calling eth0 = web(node, pod);
    Calling other = node.pod(node.pooled(Families.V4), next, "test", "web-1");
    eth0.add().ok();
    api.cluster().stop();

    List<Ran> both = AtOnce.run(List.of(other::add, eth0::del));

    for (Ran failed : both) {
      assertThat(failed.error().code().value()).isEqualTo(11);
      assertThat(failed.error().msg())
          .startsWith("error getting ClusterInformation: the Kubernetes API at http://127.0.0.1:")
          .contains("check that it runs");
    }
    assertThat(host.exec("ip", "link").stdout()).doesNotContain("cali");
    api.cluster().restart();
    eth0.withNetns("").del().ok();
    other.del().ok();
    assertNothingStays(node, pod);
  }

  @Test
  void aMissingNodenameFileIsNamed(Host host, Host pod) {
    CalicoNode node = node(host);
    Path file = files.resolve("nodename");
    Calling eth0 =
        web(node, pod)
            .set("nodename_file_optional", CniJson.parse("false"))
            .set("nodename_file", CniJson.parse("\"%s\"".formatted(file)));

    CniException refused = eth0.add().error();

    assertThat(refused.code().value()).isEqualTo(11);
    assertThat(refused.msg()).isEqualTo("stat %s: no such file or directory".formatted(file));
    assertThat(refused.details())
        .contains("calico/node", "ocicat install --calico", "nodename_file_optional");
    assertThat(eth0.status().error().code().value()).isEqualTo(50);
    assertNothingStays(node, pod);
  }
}
