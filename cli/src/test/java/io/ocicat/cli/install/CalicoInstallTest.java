package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What {@code ocicat install --calico} writes, for each datastore. */
class CalicoInstallTest {
  @TempDir private Path root;

  private CalicoNetwork network(Map<String, String> environment) {
    return new CalicoNetwork(environment, root.resolve("net.d"), "node-a");
  }

  private static JsonNode plugin(CalicoNetwork network) {
    return CniJson.parse(text(network.item())).at("/plugins/0");
  }

  private static String text(InstallItem item) {
    InstallItem.Content.Text content = (InstallItem.Content.Text) item.content();
    return new String(content.bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void withoutAServerTheDatastoreIsThisMachines() {
    InstallItem item = network(Map.of()).item();

    assertThat(item.path()).isEqualTo(root.resolve("net.d/10-calico.conflist"));
    assertThat(((InstallItem.Content.Text) item.content()).permissions()).isEqualTo("rw-------");
    JsonNode plugin = plugin(network(Map.of()));
    assertThat(plugin.path("datastore_type").asString()).isEqualTo("embedded");
    assertThat(plugin.path("nodename").asString()).isEqualTo("node-a");
    assertThat(plugin.path("name").asString())
        .as("for jq '.plugins[0]'")
        .isEqualTo("k8s-pod-network");
    assertThat(plugin.path("mtu").asInt()).isZero();
    assertThat(plugin.has("kubernetes")).isFalse();
    assertThat(plugin.at("/ipam/type").asString()).isEqualTo("calico-ipam");
  }

  @Test
  void kubernetesHasItsKubeconfig() {
    JsonNode plugin =
        plugin(
            network(
                Map.of(
                    "KUBERNETES_SERVICE_HOST", "10.96.0.1",
                    "CNI_NET_DIR", "/etc/cni/net.d",
                    "KUBERNETES_NODE_NAME", "kube-1",
                    "CNI_MTU", "1440",
                    "LOG_LEVEL", "debug")));

    assertThat(plugin.path("datastore_type").asString()).isEqualTo("kubernetes");
    assertThat(plugin.at("/kubernetes/kubeconfig").asString())
        .isEqualTo("/etc/cni/net.d/calico-kubeconfig");
    assertThat(plugin.path("nodename").asString()).isEqualTo("kube-1");
    assertThat(plugin.path("mtu").asInt()).isEqualTo(1440);
    assertThat(plugin.path("log_level").asString()).isEqualTo("debug");
    assertThat(plugin.path("calico_api_group").asString()).isEqualTo("crd.projectcalico.org/v1");
  }

  @Test
  void etcdHasItsEndpointsAndCertificates() throws IOException {
    Machine.file(root.resolve("net.d/calico-tls/etcd-ca"), "ca", "rw-------");

    JsonNode plugin = plugin(network(Map.of("ETCD_ENDPOINTS", "https://10.0.0.1:2379")));

    assertThat(plugin.path("datastore_type").asString()).isEqualTo("etcdv3");
    assertThat(plugin.path("etcd_endpoints").asString()).isEqualTo("https://10.0.0.1:2379");
    assertThat(plugin.path("etcd_ca_cert_file").asString())
        .isEqualTo(root.resolve("net.d/calico-tls/etcd-ca").toString());
    assertThat(plugin.path("etcd_key_file").asString()).isEmpty();
  }

  @Test
  void aTemplateOfTheUsersIsFilledInAndTheFileWins() throws IOException {
    String template =
        "{\"name\":\"%s\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"calico\",\"mtu\":__CNI_MTU__}]}";
    Path file = root.resolve("template");
    Files.writeString(file, template.formatted("from-file"));

    InstallItem given =
        network(
                Map.of(
                    "CNI_NETWORK_CONFIG",
                    template.formatted("given"),
                    "CNI_CONF_NAME",
                    "05-x.conflist"))
            .item();
    InstallItem both =
        network(
                Map.of(
                    "CNI_NETWORK_CONFIG", template.formatted("given"),
                    "CNI_NETWORK_CONFIG_FILE", file.toString()))
            .item();

    assertThat(given.path()).hasFileName("05-x.conflist");
    assertThat(text(given)).contains("given", "\"mtu\":0");
    assertThat(text(both)).contains("from-file");
    assertThatThrownBy(() -> network(Map.of("CNI_NETWORK_CONFIG", "secret {")).item())
        .isInstanceOf(InstallException.class)
        .hasMessageContaining("is not a valid network once it is filled in")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> network(Map.of("CNI_CONF_NAME", "../x.conflist")).item())
        .hasMessageContaining("CNI_CONF_NAME");
  }

  /** Review C14: outside a pod nothing writes calico-kubeconfig. */
  @Test
  void outsideAPodTheKubeconfigIsTheOneGiven() throws IOException {
    Path admin = root.resolve("admin.conf");
    assertThatThrownBy(() -> network(Map.of("KUBECONFIG", admin.toString())).item())
        .isInstanceOf(InstallException.class)
        .hasMessageContaining(admin + ", which does not exist");

    Files.writeString(admin, "kind: Config");

    assertThat(
            plugin(network(Map.of("KUBECONFIG", admin.toString())))
                .at("/kubernetes/kubeconfig")
                .asString())
        .isEqualTo(admin.toString());
  }

  /** Review C14: both files name the node alike. */
  @Test
  void theNodesNameIsTheOneOfKubernetes() throws IOException {
    Files.writeString(root.resolve("nodename"), "from-calico");

    assertThat(new CalicoSetUp(Map.of("KUBERNETES_NODE_NAME", "kube-1"), root).nodeName())
        .isEqualTo("kube-1");
  }

  /** Review C13: an edited network must not be lost when the token expires. */
  @Test
  void aNetworkThatWasEditedStaysAsItIs() throws IOException {
    InstallItem item = network(Map.of()).item();
    Path state = Files.createDirectories(root.resolve("state"));
    InstallManifest manifest = InstallManifest.read(state);
    new Placement(state, manifest).carryOut(InstallPlan.of(List.of(item), manifest, false).steps());
    Files.writeString(item.path(), "{\"edited\":true}");

    InstallPlan plan = InstallPlan.of(List.of(item), InstallManifest.read(state), false);

    assertThat(plan.obstacles()).isEmpty();
    assertThat(plan.steps()).isEmpty();
    assertThat(InstallPlan.of(List.of(item), InstallManifest.read(state), true).steps())
        .extracting(InstallPlan.Step::task)
        .containsExactly(InstallPlan.Task.REPLACE);
  }

  @Test
  void theNodesNameIsWrittenUnlessCalicoNodeDid() throws IOException {
    CalicoSetUp fresh = new CalicoSetUp(Map.of("HOSTNAME", "Node-B"), root);
    assertThat(fresh.nodeName()).isEqualTo("node-b");
    assertThat(fresh.items())
        .filteredOn(item -> item.path().endsWith("nodename"))
        .extracting(CalicoInstallTest::text)
        .containsExactly("node-b");

    Files.writeString(root.resolve("nodename"), "from-calico");
    Files.writeString(root.resolve("mtu"), "1450");
    assertThat(fresh.nodeName()).isEqualTo("from-calico");
    assertThat(fresh.items()).isEmpty();
    assertThat(new CalicoSetUp(Map.of("NODENAME", "mine"), root).items())
        .extracting(CalicoInstallTest::text)
        .containsExactly("mine");
  }

  @Test
  void aDatastoreOfThisMachineGetsWhatItNeedsOnce() {
    Map<String, String> environment =
        Map.of(
            "OCICAT_STATE_DIR", root.resolve("state").toString(),
            "NODENAME", "node-a",
            "CALICO_IPV4POOL_CIDR", "10.65.0.0/16",
            "CALICO_IPV4POOL_VXLAN", "CrossSubnet",
            "CALICO_IPV4POOL_BLOCK_SIZE", "28");
    CalicoSetUp setUp = new CalicoSetUp(environment, root);

    setUp.prepareDatastore();
    setUp.prepareDatastore();

    try (Datastore datastore =
        Datastores.openOwn(new DatastoreConfig.Embedded(root.resolve("state")))) {
      JsonNode pool =
          datastore.get(ResourceKey.of(Kind.IP_POOL, "default-ipv4-ippool")).content().path("spec");
      assertThat(pool.path("cidr").asString()).isEqualTo("10.65.0.0/16");
      assertThat(pool.path("natOutgoing").asBoolean()).isTrue();
      assertThat(pool.path("vxlanMode").asString()).isEqualTo("CrossSubnet");
      assertThat(pool.path("blockSize").asInt()).isEqualTo(28);
      assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).items()).hasSize(1);
      assertThat(datastore.get(ResourceKey.of(Kind.NODE, "node-a"))).isNotNull();
      assertThat(
              datastore
                  .get(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"))
                  .content()
                  .at("/spec/datastoreReady")
                  .asBoolean())
          .isTrue();
    }
  }

  @Test
  void aVariableThatDescribesNoPoolIsNamed() {
    CalicoSetUp setUp =
        new CalicoSetUp(
            Map.of(
                "OCICAT_STATE_DIR", root.resolve("state").toString(),
                "NODENAME", "node-a",
                "CALICO_IPV4POOL_CIDR", "10.65.0.0/16",
                "CALICO_IPV4POOL_VXLAN", "sometimes"),
            root);

    assertThatThrownBy(setUp::prepareDatastore)
        .isInstanceOf(InstallException.class)
        .hasMessageEndingWith(
            "CALICO_IPV4POOL_VXLAN must be Always, CrossSubnet or Never, not \"sometimes\"");
  }

  @Test
  void theTokenIsThePluginsOwn() throws IOException {
    Path account = root.resolve("account");
    Machine.file(account.resolve("token"), "pods-own", "rw-------");
    Machine.file(account.resolve("namespace"), "kube-system", "rw-------");
    List<String> asked = new ArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.add(
              "%s %s %s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      exchange.getRequestHeaders().getFirst("Authorization")));
          byte[] answer =
              "{\"status\":{\"token\":\"fresh\",\"expirationTimestamp\":\"2030-01-02T00:00:00Z\"}}"
                  .getBytes(StandardCharsets.UTF_8);
          boolean known = exchange.getRequestURI().getPath().contains("calico-cni-plugin");
          exchange.sendResponseHeaders(known ? 201 : 404, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      Map<String, String> environment =
          Map.of(
              "KUBERNETES_SERVICE_PROTOCOL", "http",
              "KUBERNETES_SERVICE_HOST", "127.0.0.1",
              "KUBERNETES_SERVICE_PORT", String.valueOf(server.getAddress().getPort()));
      ServiceAccount plugin = new ServiceAccount(environment, account);

      ServiceAccount.Token token = plugin.request();

      assertThat(asked)
          .containsExactly(
              "POST /api/v1/namespaces/kube-system/serviceaccounts/calico-cni-plugin/token Bearer pods-own");
      assertThat(token.text()).isEqualTo("fresh");
      assertThat(token).asString().doesNotContain("fresh");
      assertThat(token.renewal(Instant.parse("2030-01-01T00:00:00Z")))
          .isEqualTo(Instant.parse("2030-01-01T06:00:00Z"));
      assertThat(new String(plugin.kubeconfig(token), StandardCharsets.UTF_8))
          .contains(
              "server: http://127.0.0.1:" + server.getAddress().getPort(),
              "token: \"fresh\"",
              "current-context: calico-context");
      Map<String, String> other = new HashMap<>(environment);
      other.put("CALICO_CNI_SERVICE_ACCOUNT", "nobody");
      assertThatThrownBy(() -> new ServiceAccount(other, account).request())
          .hasMessageContaining("no token for service account nobody")
          .hasMessageContaining("404");
    } finally {
      server.stop(0);
    }
  }

  /** Nothing listens at port 1: a request there would fail. */
  @Test
  void aDryRunRequestsNoTokenAndStillReportsItsFile() throws IOException {
    Path account = root.resolve("account");
    Machine.file(account.resolve("token"), "pods-own", "rw-------");
    Machine.file(account.resolve("namespace"), "kube-system", "rw-------");
    Machine machine =
        new Machine(
            root,
            Map.of(
                "CALICO_SERVICE_ACCOUNT_DIR", account.toString(),
                "KUBERNETES_SERVICE_PROTOCOL", "http",
                "KUBERNETES_SERVICE_HOST", "127.0.0.1",
                "KUBERNETES_SERVICE_PORT", "1"));
    String[] calico = {"--calico", "--calico-dir", root.resolve("calico").toString()};

    // Review U13: it promises no network where none would be installed, for want of a daemon.
    assertThat(machine.install("--dry-run", calico[0], calico[1], calico[2])).isEqualTo(1);
    assertThat(machine.err.toString())
        .startsWith("the plugins would be installed, the network would not: ocicatd does not serve")
        .endsWith("start it first: " + machine.home.resolve("bin/ocicat") + " daemon");

    assertThat(machine.out.toString())
        .contains("calico-kubeconfig", "10-calico.conflist", "nodename");
    assertThat(machine.conf).doesNotExist();
    assertThat(machine.state()).doesNotExist();
    assertThat(root.resolve("calico")).doesNotExist();
    assertThat(machine.install(calico)).isEqualTo(1);
    assertThat(machine.err.toString()).contains("cannot be asked for a token");
  }
}
