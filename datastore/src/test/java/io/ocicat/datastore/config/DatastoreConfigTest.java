package io.ocicat.datastore.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.json.StoredJson;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatastoreConfigTest {

  private static DatastoreConfig cni(String config, Map<String, String> environment) {
    return DatastoreConfig.ofCniConfig(StoredJson.parseObject(config), environment);
  }

  private static DatastoreConfig file(String spec) {
    return DatastoreConfig.ofCalicoctlFile(
        StoredJson.parseObject(
            "{\"apiVersion\":\"projectcalico.org/v3\",\"kind\":\"CalicoAPIConfig\",\"metadata\":{},\"spec\":%s}"
                .formatted(spec)),
        Map.of());
  }

  @Test
  void nothingConfiguredMeansEmbedded() {
    assertThat(DatastoreConfig.ofEnvironment(Map.of()))
        .isEqualTo(new DatastoreConfig.Embedded(Path.of("/var/lib/ocicat")));
    assertThat(cni("{\"name\":\"net\"}", Map.of("OCICAT_STATE_DIR", "/srv/state")))
        .isEqualTo(new DatastoreConfig.Embedded(Path.of("/srv/state")));
    assertThat(file("{}")).isInstanceOf(DatastoreConfig.Embedded.class);
  }

  @Test
  void whatIsConfiguredTellsTheType() {
    assertThat(DatastoreConfig.ofEnvironment(Map.of("ETCD_ENDPOINTS", "http://a:2379")))
        .isInstanceOf(DatastoreConfig.Etcd.class);
    assertThat(DatastoreConfig.ofEnvironment(Map.of("KUBECONFIG", "/k")))
        .isInstanceOf(DatastoreConfig.Kubernetes.class);
    assertThat(DatastoreConfig.ofEnvironment(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1")))
        .isInstanceOf(DatastoreConfig.Kubernetes.class);
    assertThat(
            DatastoreConfig.ofEnvironment(
                Map.of("DATASTORE_TYPE", "embedded", "ETCD_ENDPOINTS", "http://a:2379")))
        .isInstanceOf(DatastoreConfig.Embedded.class);
  }

  @Test
  void cniConfigurationWinsOverPlainVariablesOnly() {
    String config = "{\"datastore_type\":\"etcdv3\",\"etcd_endpoints\":\"http://conf:2379\"}";

    assertThat(endpoints(cni(config, Map.of("ETCD_ENDPOINTS", "http://plain:2379"))))
        .containsExactly("http://conf:2379");
    assertThat(endpoints(cni(config, Map.of("CALICO_ETCD_ENDPOINTS", "http://calico:2379"))))
        .containsExactly("http://calico:2379");
    assertThat(
            endpoints(
                cni(
                    "{\"datastore_type\":\"etcdv3\",\"etcd_endpoints\":\"\"}",
                    Map.of("ETCD_ENDPOINTS", "http://a:1, https://b:2,"))))
        .containsExactly("http://a:1", "https://b:2");
  }

  private static List<String> endpoints(DatastoreConfig config) {
    return ((DatastoreConfig.Etcd) config).endpoints();
  }

  @Test
  void kubernetesMembersAreRead() {
    DatastoreConfig.Kubernetes config =
        (DatastoreConfig.Kubernetes)
            cni(
                """
                {"datastore_type":"kubernetes","kubernetes":{"kubeconfig":"/etc/k","k8s_api_root":"https://api"},
                 "policy":{"k8s_auth_token":"s3cret"},"calico_api_group":"projectcalico.org/v3","qps":20,"burst":0}\
                """,
                Map.of("K8S_CURRENT_CONTEXT", "prod", "K8S_INSECURE_SKIP_TLS_VERIFY", "true"));

    assertThat(config.kubeconfig()).isEqualTo("/etc/k");
    assertThat(config.endpoint()).isEqualTo("https://api");
    assertThat(config.token().value()).isEqualTo("s3cret");
    assertThat(config.context()).isEqualTo("prod");
    assertThat(config.insecure()).isTrue();
    assertThat(config.apiGroup()).isEqualTo("projectcalico.org/v3");
    assertThat(config.qps()).isEqualTo(20);
    assertThat(config.burst()).isZero();
    assertThat(config.toString()).doesNotContain("s3cret");
  }

  @Test
  void calicoctlsFileIsRead() {
    DatastoreConfig.Etcd config =
        (DatastoreConfig.Etcd)
            file(
                """
                {"datastoreType":"etcdv3","etcdEndpoints":"https://e1:2379,https://e2:2379","etcdUsername":"u",
                 "etcdPassword":"p4ss","etcdCACertFile":"/etc/calico/ca.pem"}\
                """);

    assertThat(config.endpoints()).hasSize(2);
    assertThat(config.password().value()).isEqualTo("p4ss");
    assertThat(config.tls().caFile()).isEqualTo("/etc/calico/ca.pem");
    assertThat(config.toString()).doesNotContain("p4ss");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          {"datastore_type":"mysql"} ; datastore_type must be embedded, etcdv3 or kubernetes, not "mysql"
          {"datastore_type":"etcdv3"} ; no etcd endpoints specified
          {"etcd_endpoints":"http://a","etcd_discovery_srv":"x"} ; use one of them
          {"etcd_endpoints":"a:2379"} ; etcd endpoint "a:2379" must start with http
          {"etcd_endpoints":"http://a","etcd_key_file":"k"} ; needs its key and a key its certificate
          """)
  void whatContradictsItselfIsRefused(String config, String message) {
    assertThatThrownBy(() -> cni(config, Map.of()))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aFileWithMistakesIsRefused() {
    assertThatThrownBy(() -> file("{\"etcdEndpoint\":\"x\",\"datastoretype\":\"y\"}"))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("spec.etcdEndpoint is not known")
        .hasMessageContaining("spec.datastoretype is not known");
    assertThatThrownBy(() -> file("{\"etcdEndpoints\":[\"x\"]}"))
        .hasMessageContaining("spec.etcdEndpoints must be a string");
    assertThatThrownBy(
            () -> file("{\"etcdEndpoints\":\"http://a\",\"etcdCA\":\"\",\"etcdCACert\":\"x\"}"))
        .hasMessageContaining("spec.etcdCA is not known");
    assertThatThrownBy(
            () ->
                file(
                    "{\"etcdEndpoints\":\"http://a\",\"etcdCACertFile\":\"f\",\"etcdCACert\":\"x\"}"))
        .hasMessageContaining("both as files and inline");
    assertThatThrownBy(
            () ->
                DatastoreConfig.ofCalicoctlFile(
                    StoredJson.parseObject("{\"kind\":\"Node\"}"), Map.of()))
        .hasMessageContaining("kind must be CalicoAPIConfig, not \"Node\"");
    assertThatThrownBy(
            () ->
                DatastoreConfig.ofEnvironment(Map.of("KUBECONFIG", "/k", "K8S_CLIENT_QPS", "many")))
        .hasMessageContaining("K8S_CLIENT_QPS must be a number, not \"many\"");
  }
}
