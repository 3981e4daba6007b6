package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases in nodes: Kubernetes' own, or Calico's where there is no Kubernetes. */
abstract class NodeLeaseSuite {
  private static final String PREFIX = "flannel.alpha.coreos.com/";
  private static final VtepData VTEP = new VtepData(1, MacAddress.parse("0a:11:22:33:44:55"));
  private static final LeaseAttributes VXLAN =
      new LeaseAttributes(IpAddress.parse("192.0.2.7"), null, "vxlan", VTEP, null);

  @TempDir Path folder;
  private final List<String> log = new CopyOnWriteArrayList<>();

  abstract Datastore datastore();

  /** A node joins the cluster, which gives it these ranges. */
  abstract void join(String node, String... podCidrs);

  abstract void leave(String node);

  private NodeLeaseRegistry registry(String node, String conf) throws IOException {
    Path file = Files.writeString(folder.resolve("net-conf.json"), conf.replace('\'', '"'));
    NodeLeaseRegistry registry =
        new NodeLeaseRegistry(
            datastore(),
            node,
            FlannelSettings.of(Map.of("FLANNELD_NET_CONFIG_PATH", file.toString())),
            log::add,
            () -> {});
    Eventually.await("the nodes are read", registry::isKnown);
    return registry;
  }

  private static final String CONF = "{'Network':'10.244.0.0/16','Backend':{'Type':'vxlan'}}";

  private SubnetLease ensure(NodeLeaseRegistry registry, LeaseAttributes wanted) {
    return registry.ensure(registry.configuration(), wanted, Optional.empty());
  }

  private Map<String, String> annotations(String node) {
    Map<String, String> annotations = new TreeMap<>();
    datastore()
        .get(ResourceKey.of(Kind.NODE, node))
        .content()
        .at("/metadata/annotations")
        .forEachEntry(
            (name, value) -> {
              if (name.startsWith(PREFIX)) {
                annotations.put(name.substring(PREFIX.length()), value.asString(""));
              }
            });
    return annotations;
  }

  private void annotate(String node, String name, String value) {
    Resource resource = datastore().get(ResourceKey.of(Kind.NODE, node));
    datastore()
        .update(
            resource.edit(
                document ->
                    document.withObject("/metadata/annotations").put(PREFIX + name, value)));
  }

  @Test
  void theLeaseIsTheRangeOfTheNodeAndIsPublishedAsAnnotations() throws IOException {
    join("node-a", "10.244.3.0/24");
    join("node-b", "10.244.4.0/24");
    join("node-c", "10.244.5.0/24");
    try (NodeLeaseRegistry one = registry("node-a", CONF);
        NodeLeaseRegistry two = registry("node-b", CONF)) {
      assertThat(ensure(one, VXLAN).subnets()).hasToString("10.244.3.0/24");
      assertThat(annotations("node-a"))
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(
                  "kube-subnet-manager", "true",
                  "backend-type", "vxlan",
                  "backend-data", "{\"VNI\":1,\"VtepMAC\":\"0a:11:22:33:44:55\"}",
                  "public-ip", "192.0.2.7"));
      Eventually.await("node-b sees it", () -> two.others().size() == 1);
      assertThat(two.others().getFirst().attributes()).isEqualTo(VXLAN);
      assertThat(two.others().getFirst().subnets()).hasToString("10.244.3.0/24");
      Eventually.await("node-a sees itself", () -> one.published(VXLAN).isPresent());
      assertThat(one.published(VXLAN).orElseThrow().vtep()).as("the MAC is kept").isEqualTo(VTEP);

      String revision = datastore().get(ResourceKey.of(Kind.NODE, "node-a")).revision();
      ensure(one, VXLAN);
      assertThat(datastore().get(ResourceKey.of(Kind.NODE, "node-a")).revision())
          .as("written once")
          .isEqualTo(revision);
      leave("node-a");
      Eventually.await("node-b sees it go", () -> two.others().isEmpty());
    }
  }

  @Test
  void aBackEndWithoutDataPublishesNull() throws IOException {
    join("node-a", "10.244.3.0/24", "fd00:244:0:3::/64");
    try (NodeLeaseRegistry registry =
        registry(
            "node-a",
            "{'EnableIPv6':true,'Network':'10.244.0.0/16','IPv6Network':'fd00:244::/48','Backend':{'Type':'host-gw'}}")) {
      SubnetLease lease =
          ensure(
              registry,
              new LeaseAttributes(
                  IpAddress.parse("192.0.2.7"),
                  IpAddress.parse("2001:db8::7"),
                  "host-gw",
                  null,
                  null));

      assertThat(lease.subnets()).hasToString("10.244.3.0/24, fd00:244:0:3::/64");
      assertThat(annotations("node-a"))
          .containsEntry("backend-data", "null")
          .containsEntry("backend-v6-data", "null")
          .containsEntry("public-ipv6", "2001:db8::7");
    }
  }

  @Test
  void anOperatorsAnnotationsReplaceAddresses() throws IOException {
    join("node-a", "10.244.3.0/24");
    annotate("node-a", "public-ip-overwrite", "203.0.113.7");
    annotate("node-a", "node-public-ip", "203.0.113.8");
    try (NodeLeaseRegistry registry = registry("node-a", CONF)) {
      assertThat(registry.publicAddresses())
          .containsExactly(Map.entry(IpFamily.V4, IpAddress.parse("203.0.113.8")));
      assertThat(ensure(registry, VXLAN).attributes().publicIp())
          .isEqualTo(IpAddress.parse("203.0.113.7"));
      assertThat(annotations("node-a"))
          .containsEntry("public-ip", "203.0.113.7")
          .containsEntry("public-ip-overwrite", "203.0.113.7");
    }
  }

  @Test
  void aChangedAnnotationOrRangeIsNoticed() throws IOException {
    join("node-a", "10.244.3.0/24");
    join("node-b", "10.244.4.0/24");
    try (NodeLeaseRegistry one = registry("node-a", CONF);
        NodeLeaseRegistry two = registry("node-b", CONF)) {
      ensure(one, VXLAN);
      Eventually.await("seen", () -> two.others().size() == 1);
      annotate("node-a", "public-ip", "192.0.2.99");
      Eventually.await(
          "the others follow",
          () ->
              two.others()
                  .getFirst()
                  .attributes()
                  .publicAddress(IpFamily.V4)
                  .orElseThrow()
                  .equals(IpAddress.parse("192.0.2.99")));
      Eventually.await(
          "the node puts it back",
          () -> {
            ensure(one, VXLAN);
            return "192.0.2.7".equals(annotations("node-a").get("public-ip"));
          });
    }
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    join("node-a");
    join("node-b", "10.99.0.0/24");
    try (NodeLeaseRegistry one = registry("node-a", CONF);
        NodeLeaseRegistry two = registry("node-b", CONF);
        NodeLeaseRegistry three = registry("node-z", CONF)) {
      assertThatThrownBy(() -> ensure(one, VXLAN))
          .isInstanceOf(FlannelException.class)
          .hasMessageContaining("node node-a has no IPv4 range for pods");
      assertThatThrownBy(() -> ensure(two, VXLAN))
          .isInstanceOf(FlannelException.class)
          .hasMessageContaining("10.99.0.0/24 of node node-b is not in the network 10.244.0.0/16");
      assertThatThrownBy(() -> ensure(three, VXLAN))
          .isInstanceOf(FlannelException.class)
          .hasMessageContaining("node node-z does not exist");
      Files.delete(folder.resolve("net-conf.json"));
      assertThatThrownBy(one::configuration)
          .isInstanceOf(FlannelException.class)
          .hasMessageContaining("net-conf.json of FLANNELD_NET_CONFIG_PATH");
    }
  }
}
