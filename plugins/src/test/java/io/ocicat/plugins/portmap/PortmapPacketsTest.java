package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.Tcp.ask;
import static io.ocicat.plugins.portmap.Site.CLIENT;
import static io.ocicat.plugins.portmap.Site.GATEWAY;
import static io.ocicat.plugins.portmap.Site.NODE;
import static io.ocicat.plugins.portmap.Site.NODE6;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Tcp;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who reaches a pod through a host port, and which client address the pod sees. */
@Hosts
class PortmapPacketsTest {
  private Site site;
  private ServerSocket web;

  @BeforeEach
  void build(Host node, Host pod, Host neighbour, Host client) {
    site = Site.build(node, pod, neighbour, client);
    web = Tcp.serve(pod, 80, "web");
  }

  @AfterEach
  void close() throws IOException {
    web.close();
  }

  @Test
  void outsideAndOnTheHostThePortLeadsToThePod(Host node, Host client) {
    Attaching portmap = site.portmap(site.web(), "", "8080:80");
    portmap.add().ok();

    assertThat(ask(client, NODE, 8080)).isEqualTo("web sees " + CLIENT);
    assertThat(ask(client, NODE6, 8080)).isEqualTo("web sees fd02::2");
    assertThat(ask(client, GATEWAY, 8080)).as("any address of the host").startsWith("web");
    assertThat(ask(node, NODE, 8080)).isEqualTo("web sees " + NODE);
    assertThat(ask(node, NODE6, 8080)).isEqualTo("web sees " + NODE6);
    assertThat(ask(client, NODE, 8081)).isEqualTo("no answer");
    assertThat(ask(client, site.web().v4(), 80)).as("directly").isEqualTo("web sees " + CLIENT);

    portmap.del().ok();
    assertThat(ask(client, NODE, 8080)).isEqualTo("no answer");
    assertThat(ask(client, NODE6, 8080)).isEqualTo("no answer");
  }

  @ParameterizedTest(name = "bridge filtered: {0}")
  @ValueSource(booleans = {true, false})
  void theLoopbackAddressLeadsToThePod(boolean filtered, Host node) {
    site.filterBridge(filtered);
    site.portmap(site.web(), "", "8080:80").add().ok();

    assertThat(ask(node, "127.0.0.1", 8080)).isEqualTo("web sees " + GATEWAY);
    // A filtered bridge changes the reply's destination back to ::1 before IPv6 sees it, which then
    // treats it as one that came so from outside.
    assertThat(ask(node, "::1", 8080)).isEqualTo(filtered ? "no answer" : "web sees fd01::1");
  }

  @ParameterizedTest(name = "bridge filtered: {0}")
  @ValueSource(booleans = {true, false})
  void podsReachThemselvesAndEachOther(boolean filtered, Host pod, Host neighbour) {
    site.filterBridge(filtered);
    site.portmap(site.web(), "", "8080:80").add().ok();

    assertThat(ask(pod, NODE, 8080)).isEqualTo("web sees " + GATEWAY);
    assertThat(ask(pod, NODE6, 8080)).isEqualTo("web sees fd01::1");
    // A filtered bridge sees the reply and needs no masquerading to change its source back.
    assertThat(ask(neighbour, NODE, 8080))
        .isEqualTo("web sees " + (filtered ? site.db().v4() : GATEWAY));
    assertThat(ask(neighbour, NODE6, 8080))
        .isEqualTo("web sees " + (filtered ? site.db().v6() : "fd01::1"));
    assertThat(ask(neighbour, site.web().v4(), 80)).isEqualTo("web sees " + site.db().v4());
  }

  @Test
  void withoutSnatNobodyIsHidden(Host node, Host pod, Host client) {
    site.filterBridge(false);
    site.portmap(site.web(), "\"snat\":false", "8080:80").add().ok();

    assertThat(ask(client, NODE, 8080)).isEqualTo("web sees " + CLIENT);
    assertThat(ask(node, NODE, 8080)).isEqualTo("web sees " + NODE);
    assertThat(ask(pod, NODE, 8080)).isEqualTo("no answer");
    assertThat(ask(node, "127.0.0.1", 8080)).isEqualTo("no answer");
    assertThat(node.exec("sysctl", "-n", "net.ipv4.conf.cni0.route_localnet").stdout())
        .isEqualTo("0\n");
  }

  @Test
  void masqAllHidesEverybodyWhoCameByThePort(Host node, Host pod, Host neighbour, Host client) {
    site.filterBridge(false);
    site.portmap(site.web(), "\"masqAll\":true", "8080:80").add().ok();

    assertThat(ask(client, NODE, 8080)).isEqualTo("web sees " + GATEWAY);
    assertThat(ask(client, NODE6, 8080)).isEqualTo("web sees fd01::1");
    assertThat(ask(node, "127.0.0.1", 8080)).isEqualTo("web sees " + GATEWAY);
    assertThat(ask(pod, NODE, 8080)).isEqualTo("web sees " + GATEWAY);
    assertThat(ask(neighbour, NODE, 8080)).isEqualTo("web sees " + GATEWAY);
    assertThat(ask(client, site.web().v4(), 80)).as("directly").isEqualTo("web sees " + CLIENT);
  }

  @Test
  void aPortOnOneAddressIsOnThatOneOnly(Host node, Host client) {
    site.portmap(site.web(), "", NODE + "/8080:80", "[" + NODE6 + "]/8080:80").add().ok();

    assertThat(ask(client, NODE, 8080)).startsWith("web");
    assertThat(ask(client, NODE6, 8080)).startsWith("web");
    assertThat(ask(client, GATEWAY, 8080)).isEqualTo("no answer");
    assertThat(ask(client, "fd01::1", 8080)).isEqualTo("no answer");
    assertThat(ask(node, NODE, 8080)).startsWith("web");
    assertThat(ask(node, "127.0.0.1", 8080)).isEqualTo("no answer");
  }

  @Test
  void aPortOnTheLoopbackAddressIsForTheHostOnly(Host node, Host client) {
    site.portmap(site.web(), "", "127.0.0.1/8080:80").add().ok();

    assertThat(ask(node, "127.0.0.1", 8080)).startsWith("web");
    assertThat(ask(node, NODE, 8080)).isEqualTo("no answer");
    assertThat(ask(client, NODE, 8080)).isEqualTo("no answer");
  }

  @Test
  void allAddressesOfOneFamilyAreThoseOnly(Host client) {
    site.portmap(site.web(), "", "0.0.0.0/8080:80", "[::]/8081:80").add().ok();

    assertThat(ask(client, NODE, 8080)).startsWith("web");
    assertThat(ask(client, GATEWAY, 8080)).startsWith("web");
    assertThat(ask(client, NODE6, 8080)).isEqualTo("no answer");
    assertThat(ask(client, NODE6, 8081)).startsWith("web");
    assertThat(ask(client, "fd01::1", 8081)).startsWith("web");
    assertThat(ask(client, NODE, 8081)).isEqualTo("no answer");
  }

  /** CVE-2025-67499: traffic that only passes through the node is not affected. */
  @Test
  void theSamePortOfAnotherMachineStaysItsOwn(Host pod, Host neighbour, Host client)
      throws IOException {
    site.portmap(site.web(), "", "8080:80").add().ok();
    try (ServerSocket other = Tcp.serve(client, 8080, "client")) {
      assertThat(other.isBound()).isTrue();
      assertThat(ask(pod, CLIENT, 8080)).isEqualTo("client sees " + site.web().v4());
      assertThat(ask(pod, "fd02::2", 8080)).isEqualTo("client sees " + site.web().v6());
      assertThat(ask(neighbour, CLIENT, 8080)).startsWith("client");
    }
  }

  /** CVE-2020-8558: route_localnet would let pods reach what listens on 127.0.0.1 only. */
  @Test
  void podsDoNotReachTheLoopbackAddressOfTheHost(Host node, Host neighbour) throws IOException {
    site.portmap(site.web(), "", "8080:80").add().ok();
    Site.ip(neighbour, "route add 127.0.0.5/32 via 10.1.0.1 src 10.1.0.3");
    neighbour.exec("ip", "route", "del", "local", "127.0.0.0/8", "dev", "lo", "table", "local");
    neighbour.exec("sysctl", "-qw", "net.ipv4.conf.all.route_localnet=1");
    try (ServerSocket secret = Tcp.serve(node, "127.0.0.5", 9000, "secret")) {
      assertThat(secret.isBound()).isTrue();
      assertThat(ask(node, "127.0.0.5", 9000)).isEqualTo("secret sees 127.0.0.1");
      assertThat(ask(neighbour, "127.0.0.5", 9000)).isEqualTo("no answer");

      node.exec("nft", "flush", "chain", "inet", "ocicat_portmap", "input");
      assertThat(ask(neighbour, "127.0.0.5", 9000))
          .as("that is what the chain is for")
          .isEqualTo("secret sees " + site.db().v4());
    }
  }

  @Test
  void aHostServiceOnAnotherPortIsUntouched(Host node, Host client) throws IOException {
    site.portmap(site.web(), "", "8080:80").add().ok();
    try (ServerSocket own = Tcp.serve(node, 9090, "node")) {
      assertThat(own.isBound()).isTrue();
      assertThat(ask(client, NODE, 9090)).isEqualTo("node sees " + CLIENT);
      assertThat(ask(node, "127.0.0.1", 9090)).isEqualTo("node sees 127.0.0.1");
      assertThat(ask(node, "::1", 9090)).isEqualTo("node sees ::1");
    }
  }

  @Test
  void aPortOnOneAddressGoesBeforeTheSamePortOnAllOfThem(Host neighbour, Host client)
      throws IOException {
    site.portmap(site.web(), "", NODE + "/8080:80").add().ok();
    site.portmap(site.db(), "", "8080:80").add().ok();

    try (ServerSocket db = Tcp.serve(neighbour, 80, "db")) {
      assertThat(db.isBound()).isTrue();
      assertThat(ask(client, NODE, 8080)).startsWith("web");
      assertThat(ask(client, GATEWAY, 8080)).startsWith("db");
    }
  }
}
