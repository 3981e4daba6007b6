package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.plugins.calicolog.LogConf;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Every field of the configuration: its default and its invalid values. */
class CalicoConfTest {
  @TempDir Path files;

  @Test
  void whatIsLeftOutIsAsInCalico() {
    CalicoConf conf = read("{}");

    assertThat(conf.node().file()).isEqualTo(Path.of("/var/lib/calico/nodename"));
    assertThat(conf.node().fileOptional()).isFalse();
    assertThat(conf.mtu()).isZero();
    assertThat(conf.queues()).isEqualTo(1);
    assertThat(conf.policy().isNone()).isTrue();
    assertThat(conf.features()).isEqualTo(new CalicoConf.Features(false, false));
    assertThat(conf.readinessGates()).isEmpty();
    assertThat(conf.policySetupTimeout()).isEqualTo(Duration.ZERO);
    assertThat(conf.endpointStatusDir()).isEqualTo(Path.of("/var/run/calico/endpoint-status"));
    assertThat(conf.log().level()).isEqualTo(LogConf.Level.INFO);
    assertThat(conf.log().maxMegabytes()).isEqualTo(100);
    assertThat(conf.log().maxDays()).isEqualTo(30);
    assertThat(conf.log().maxFiles()).isEqualTo(10);
  }

  @Test
  void whatIsWrittenCounts() {
    CalicoConf conf =
        read(
            """
            {"mtu": 1400, "num_queues": -3, "RequireMtuFile": true, "require_mtu_file": true,
             "nodename": "n1", "nodename_file": "/tmp/n", "nodename_file_optional": true,
             "feature_control": {"ip_addrs_no_ipam": true, "floating_ips": true},
             "container_settings": {"allow_ip_forwarding": true}, "include_default_routes": true,
             "readiness_gates": ["http://localhost:9099/readiness"],
             "policy_setup_timeout_seconds": 10, "endpoint_status_dir": "/tmp/status",
             "policy": {"type": "k8s"}, "kubernetes": {"node_name": "kube-1"},
             "log_level": "DEBUG", "log_file_path": "/tmp/cni.log", "log_file_max_size": 3,
             "log_file_max_age": 4, "log_file_max_count": 5, "windows_use_single_network": true,
             "device_type": "netkit", "unheardOf": [1]}
            """);

    assertThat(conf.mtu()).isEqualTo(1400);
    assertThat(conf.queues()).isEqualTo(1);
    assertThat(conf.requireMtuFile()).isTrue();
    assertThat(conf.features()).isEqualTo(new CalicoConf.Features(true, true));
    assertThat(conf.allowIpForwarding()).isTrue();
    assertThat(conf.includeDefaultRoutes()).isTrue();
    assertThat(conf.readinessGates()).hasToString("[http://localhost:9099/readiness]");
    assertThat(conf.policySetupTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(conf.kubernetesNodeName()).isEqualTo("kube-1");
    assertThat(conf.log().level()).isEqualTo(LogConf.Level.DEBUG);
    assertThat(conf.log().file()).contains(Path.of("/tmp/cni.log"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          mtu                          | "1500"             | mtu must be a whole number
          mtu                          | -1                 | mtu must be a whole number
          mtu                          | 1500.5             | mtu must be a whole number
          require_mtu_file             | "yes"              | require_mtu_file must be true or false
          num_queues                   | "2"                | num_queues must be a whole number
          num_queues                   | 100000             | num_queues must be a whole number
          nodename                     | 1                  | nodename must be a string
          nodename_file                | "nodename"         | nodename_file must be an absolute path
          nodename_file                | true               | nodename_file must be a string
          nodename_file_optional       | 1                  | nodename_file_optional must be true or false
          hostname                     | []                 | hostname must be a string
          ipam_lock_file               | 1                  | ipam_lock_file must be a string
          datastore_type               | 1                  | datastore_type must be a string
          etcd_endpoints               | ["a"]              | etcd_endpoints must be a string
          etcd_discovery_srv           | 1                  | etcd_discovery_srv must be a string
          etcd_key_file                | 1                  | etcd_key_file must be a string
          etcd_cert_file               | 1                  | etcd_cert_file must be a string
          etcd_ca_cert_file            | 1                  | etcd_ca_cert_file must be a string
          etcd_authority               | 1                  | etcd_authority must be a string
          etcd_scheme                  | 1                  | etcd_scheme must be a string
          qps                          | "5"                | qps must be a whole number
          burst                        | -5                 | burst must be a whole number
          log_level                    | 1                  | log_level must be a string
          log_file_path                | "cni.log"          | log_file_path must be an absolute path
          log_file_max_size            | "100"              | log_file_max_size must be a whole number
          log_file_max_age             | -1                 | log_file_max_age must be a whole number
          log_file_max_count           | 1.5                | log_file_max_count must be a whole number
          policy                       | "k8s"              | policy must be an object
          policy                       | {"type": "mesos"}  | policy.type must be "k8s"
          policy                       | {"k8s_api_root": 1} | policy.k8s_api_root must be a string
          policy                       | {"k8s_auth_token": 1} | policy.k8s_auth_token must be a string
          policy                       | {"k8s_client_certificate": 1} | policy.k8s_client_certificate must be a string
          policy                       | {"k8s_client_key": 1} | policy.k8s_client_key must be a string
          policy                       | {"k8s_certificate_authority": 1} | policy.k8s_certificate_authority must be a string
          kubernetes                   | []                 | kubernetes must be an object
          kubernetes                   | {"kubeconfig": 1}  | kubernetes.kubeconfig must be a string
          kubernetes                   | {"k8s_api_root": 1} | kubernetes.k8s_api_root must be a string
          kubernetes                   | {"node_name": 1}   | kubernetes.node_name must be a string
          feature_control              | true               | feature_control must be an object
          feature_control              | {"floating_ips": "true"} | feature_control.floating_ips must be true or false
          feature_control              | {"ip_addrs_no_ipam": 1} | feature_control.ip_addrs_no_ipam must be true or false
          container_settings           | {"allow_ip_forwarding": "no"} | container_settings.allow_ip_forwarding must be true or false
          include_default_routes       | "true"             | include_default_routes must be true or false
          dataplane_options            | {"type": "ebpf"}   | dataplane_options.type is an invalid dataplane type
          dataplane_options            | {"type": "grpc"}   | dataplane_options.socket is missing
          dataplane_options            | {"type": "grpc", "socket": "/run/vpp.sock"} | keep Calico's own plugin on nodes whose dataplane makes them
          dataplane_options            | []                 | dataplane_options must be an object
          readiness_gates              | "http://localhost" | readiness_gates must be a list
          readiness_gates              | ["localhost:9099"] | invalid URL set for ReadinessGates
          policy_setup_timeout_seconds | -1                 | policy_setup_timeout_seconds must be a whole number
          policy_setup_timeout_seconds | "10"               | policy_setup_timeout_seconds must be a whole number
          endpoint_status_dir          | "status"           | endpoint_status_dir must be an absolute path
          calico_api_group             | 3                  | calico_api_group must be a string
          mode                         | 1                  | mode must be a string
          vxlan_mac_prefix             | 1                  | vxlan_mac_prefix must be a string
          vxlan_vni                    | -1                 | vxlan_vni must be a whole number
          windows_pod_deletion_timestamp_timeout | "600"    | windows_pod_deletion_timestamp_timeout must be a whole number
          windows_use_single_network   | 1                  | windows_use_single_network must be true or false
          windows_disable_default_deny_all_policy | 1       | windows_disable_default_deny_all_policy must be true or false
          windows_loopback_DSR         | 1                  | windows_loopback_DSR must be true or false
          device_type                  | "ipvlan"           | device_type must be veth or netkit
          ipam                         | {}                 | ipam.type is missing
          ipam                         | {"type": ""}       | ipam.type must not be empty
          ipam                         | {"type": "azure-vnet-ipam"} | ipam.type must not be azure-vnet-ipam
          ipam                         | {"type": "calico-ipam", "assign_ipv4": "yes"} | ipam.assign_ipv4 must be "true" or "false"
          ipam                         | {"type": "calico-ipam", "assign_ipv6": 1} | ipam.assign_ipv6 must be a string
          ipam                         | {"type": "calico-ipam", "ipv4_pools": "a"} | ipam.ipv4_pools must be a list
          ipam                         | {"type": "calico-ipam", "ipv6_pools": [1]} | ipam.ipv6_pools[0] must be a string
          args                         | {"org.apache.mesos": 1} | must be an object
          """)
  void aBadFieldIsNamed(String field, String value, String error) {
    CniException refused = refusal("{\"%s\": %s}".formatted(field, value));

    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(refused.msg()).startsWith("failed to load netconf: ");
    assertThat(refused.getMessage()).contains(error);
  }

  @Test
  void everyBadFieldIsNamedAtOnce() {
    assertThat(refusal("{\"mtu\": \"a\", \"nodename\": 1, \"policy\": 2}").getMessage())
        .contains("mtu", "nodename", "policy");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void booleansAreTakenForFamiliesToo(String value) {
    assertThat(
            read("{\"ipam\": {\"type\": \"calico-ipam\", \"assign_ipv6\": %s}}".formatted(value))
                .ipamType())
        .isEqualTo("calico-ipam");
  }

  @Test
  void theNodesNameIsLookedForInOrder() throws Exception {
    Path file = files.resolve("nodename");
    String both = "{\"nodename_file\": \"%s\", \"hostname\": \"old\" %s}";
    assertThat(
            catchThrowableOfType(
                    CniException.class,
                    () -> read(both.formatted(file, "")).node().requireStarted())
                .getMessage())
        .contains(
            "stat " + file, "calico/node", "ocicat install --calico", "nodename_file_optional");
    assertThat(
            read(both.formatted(file, ", \"nodename_file_optional\": true"))
                .node()
                .requireStarted())
        .isEqualTo("old");
    Files.writeString(file, "from-file\n");
    assertThat(read(both.formatted(file, "")).node().requireStarted()).isEqualTo("from-file");
    assertThat(read(both.formatted(file, ", \"nodename\": \"given\"")).node().requireStarted())
        .isEqualTo("given");
    assertThat(
            read("{\"nodename_file_optional\": true, \"nodename_file\": \"/none\"}")
                .node()
                .require())
        .isEqualTo(
            Files.readString(Path.of("/proc/sys/kernel/hostname"))
                .strip()
                .toLowerCase(Locale.ROOT));
    assertThat(
            catchThrowableOfType(
                    CniException.class,
                    () ->
                        read(both.formatted(file, ", \"nodename\": \"Upper\""))
                            .node()
                            .requireStarted())
                .getMessage())
        .contains("node name \"Upper\" cannot be used", "lower-case");
  }

  @Test
  void theMtuFileIsANumberOrNotThere() throws Exception {
    MtuFile file = new MtuFile(files.resolve("mtu"));

    assertThat(file.read(false)).isZero();
    assertThat(catchThrowableOfType(CniException.class, () -> file.read(true)).msg())
        .contains("failed to read MTU file", "require_mtu_file");
    Files.writeString(file.path(), " 3000\n");
    assertThat(file.read(true)).isEqualTo(3000);
    for (String nonsense : List.of("", "big", "67", "70000")) {
      Files.writeString(file.path(), nonsense);
      assertThat(catchThrowableOfType(CniException.class, () -> file.read(false)).msg())
          .contains("failed to read MTU file: " + file.path());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-my-val,my-val",
    "$my..val,my.val",
    "m$y.val,m-y.val",
    "//my/val/,my.val",
    "/a/b/c,a.b.c"
  })
  void mesosLabelsAreMadeCalicos(String label, String clean) {
    assertThat(MesosLabels.sanitise(label)).isEqualTo(clean);
  }

  @ParameterizedTest
  @CsvSource({
    "k8s,default/testpod1,eth0,k8s default%2Ftestpod1 eth0",
    "k8s,default/t est pod1,eth0,k8s default%2Ft%20est%20pod1 eth0",
    "a;b,c/d?e%,é~$&+=:@,a%3Bb c%2Fd%3Fe%25 %C3%A9~$&+=:@"
  })
  void statusFilesAreNamedAsFelixDoes(
      String orchestrator, String workload, String endpoint, String name) {
    assertThat(EndpointStatusName.of(orchestrator, workload, endpoint)).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "default,nginx,calic440f455693",
    "kube-system,coredns-5d78c9869d-abcde,cali4d5f75c480c",
    "test,web-0,cali7b07e5871ca",
    "shop,cart-7d9f,calieb55de816a6",
    "default,nginx-demo-1-7f67f8bdd8-d5wsc,calife8e5922caa"
  })
  void vethsAreNamedAsFelixExpects(String namespace, String pod, String veth) {
    WorkloadIdentity identity = new WorkloadIdentity("n", namespace, pod, "c", "c", "eth0");

    assertThat(identity.veth(Map.of())).isEqualTo(veth);
    assertThat(identity.veth(Map.of("FELIX_INTERFACEPREFIX", "azv,cali")))
        .isEqualTo("azv" + veth.substring(4));
  }

  private static CniException refusal(String members) {
    CniException refused = catchThrowableOfType(CniException.class, () -> read(members));
    assertThat(refused).isNotNull();
    return refused;
  }

  private static CalicoConf read(String members) {
    ObjectNode config =
        (ObjectNode)
            CniJson.parse(
                "{\"name\": \"n\", \"type\": \"calico\", \"ipam\": {\"type\": \"host-local\"}}");
    ((ObjectNode) CniJson.parse(members)).forEachEntry(config::set);
    return CalicoConf.read(
        PluginConfig.ofRequest(config.toString().getBytes(StandardCharsets.UTF_8)));
  }
}
