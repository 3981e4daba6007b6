package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Upstream's scenarios with one datastore engine, which declares by interfaces which of them apply:
 * with Kubernetes only pods are attached, without an API server nobody annotates namespaces.
 */
@Hosts
abstract class CalicoContract implements PodScenarios, PoolScenarios {
  static final String V4 = "10.65.0.0/24";
  static final String V6 = "fd00:65::/64";

  @TempDir Path files;

  @BeforeEach
  void reset() {
    store().reset();
  }

  @Override
  public CalicoNode node(Host host) {
    return CalicoNode.of(host, store(), files);
  }

  /**
   * A machine's configuration on its LAN. Without a default route the kernel does not answer for
   * the gateway that no interface has.
   */
  static void giveAddresses(Host host) {
    host.exec("ip", "link", "add", "lan0", "type", "veth", "peer", "name", "lan1");
    host.exec("ip", "address", "add", "192.0.2.1/24", "dev", "lan0");
    host.exec("ip", "address", "add", "2001:db8::1/64", "dev", "lan0", "nodad");
    host.exec("ip", "link", "set", "lan1", "up");
    host.exec("ip", "link", "set", "lan0", "up");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.254");
  }

  static Resource only(CalicoNode node) {
    List<Resource> endpoints = node.store().endpoints();
    assertThat(endpoints).hasSize(1);
    return endpoints.getFirst();
  }

  static String address(JsonNode result, int index) {
    String address = result.at("/ips/%d/address".formatted(index)).asString();
    return address.substring(0, address.indexOf('/'));
  }

  static String sysctl(Host host, String path, String link) {
    return host.exec("cat", "/proc/sys/net/" + path.formatted(link)).stdout().strip();
  }
}
