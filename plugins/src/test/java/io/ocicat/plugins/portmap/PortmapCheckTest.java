package io.ocicat.plugins.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CHECK and STATUS after deliberate damage. */
@Hosts
class PortmapCheckTest {
  private Site site;

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "delete element inet ocicat_portmap ports4 { tcp . 8080 }|ports4 { tcp . 8080 : 10.1.0.2 . 80 } is missing",
        "delete element inet ocicat_portmap ports6 { tcp . 8080 }|ports6 { tcp . 8080 : fd01::2 . 80 } is missing",
        "delete element inet ocicat_portmap hostip_ports4 { 10.2.0.1 . udp . 53 }|hostip_ports4 { 10.2.0.1 . udp . 53 : 10.1.0.2 . 53 } is missing",
        "delete element inet ocicat_portmap hairpin4 { 10.1.0.2 . 10.1.0.2 }|hairpin4 { 10.1.0.2 . 10.1.0.2 } is missing",
        "delete element inet ocicat_portmap hairpin4 { 127.0.0.1 . 10.1.0.2 }|hairpin4 { 127.0.0.1 . 10.1.0.2 } is missing",
        "delete element inet ocicat_portmap link6 { \"cni0\" . fd01::2 }|link6 { \"cni0\" . fd01::2 } is missing",
        "delete element inet ocicat_portmap ports4 { tcp . 8080 }; add element inet ocicat_portmap ports4 { tcp . 8080 comment \"net/pod2/eth0\" : 10.1.0.2 . 81 }|instead of element inet ocicat_portmap ports4 { tcp . 8080 : 10.1.0.2 . 80 } there is tcp . 8080 : 10.1.0.2 . 81",
        "delete element inet ocicat_portmap ports4 { tcp . 8080 }; add element inet ocicat_portmap ports4 { tcp . 8080 comment \"net/pod9/eth0\" : 10.1.0.2 . 80 }|ports4 { tcp . 8080 : 10.1.0.2 . 80 } belongs to net/pod9/eth0",
        "flush chain inet ocicat_portmap conditional|of 1 rules with conditions there are 0",
        "flush chain inet ocicat_portmap prerouting|table inet ocicat_portmap is damaged: rule \"inet ocicat_portmap prerouting fib daddr type local jump hostports\" is missing",
        "flush table inet ocicat_portmap|table inet ocicat_portmap is damaged: rule",
        "add rule inet ocicat_portmap output accept|table inet ocicat_portmap is damaged: there are rules in it that are not ours",
        "delete table inet ocicat_portmap|is missing",
      })
  void checkSeesWhatIsMissingOrDifferent(String damage, String message, Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80", "10.2.0.1/53:53/udp");
    Attaching db =
        site.portmap(site.db(), "\"conditionsV4\":[\"ip saddr 10.9.0.1\"]", "0.0.0.0/5432:5432");
    web.add().ok();
    db.add().ok();
    web.check().ok();
    db.check().ok();

    node.command("nft", "-f", "-").stdin(damage.replace("; ", "\n") + "\n").run();

    Attaching damaged = damage.contains("conditional") ? db : web;
    assertThat(damaged.check().error().msg()).contains(message);
  }

  @Test
  void checkSeesThatTheHostIsNotLetThrough(Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80");
    web.add().ok();
    node.exec("sysctl", "-qw", "net.ipv4.conf.cni0.route_localnet=0");

    assertThat(web.check().error().msg()).contains("route_localnet of \"cni0\" is off");
  }

  @Test
  void checkSeesPortsThatWereNeverMapped() {
    assertThat(site.portmap(site.web(), "", "8080:80").check().error().msg())
        .startsWith("host ports of net/pod2/eth0 are not forwarded as they should be: element inet")
        .endsWith("is missing");
    site.portmap(site.web(), "", "8080:80").add().ok();

    assertThat(site.portmap(site.web(), "", "8080:80", "8081:80").check().error().msg())
        .contains("is missing");
    assertThat(site.portmap(site.web(), "", "8080:81").check().error().msg())
        .contains("instead of");
    assertThat(site.portmap(site.web(), "\"masqAll\":true", "8080:80").check().error().msg())
        .contains("masq_all4 { 10.1.0.2 } is missing");
  }

  @Test
  void prevResultIsRequired() {
    Attaching alone =
        site.portmap(site.web(), "")
            .withConfig(
                "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\",\"runtimeConfig\":"
                    + "{\"portMappings\":[{\"hostPort\":80,\"containerPort\":80}]}}");

    assertThat(alone.add().error().msg()).isEqualTo("must be called as chained plugin");
    assertThat(alone.check().error().msg()).isEqualTo("required prevResult missing");
    assertThat(
            alone
                .withConfig(alone.config().replace("\"hostPort\":80", "\"hostPort\":0"))
                .add()
                .error()
                .msg())
        .as("the configuration is looked at first")
        .contains("Invalid host port number: 0");
  }

  @Test
  void statusTriesItAndLeavesNothing(Host node) {
    site.portmap(site.web(), "").status().ok();

    assertThat(node.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @Test
  void statusSeesADamagedTableAndGcRepairsIt(Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80");
    web.add().ok();
    web.status().ok();
    node.exec("nft", "flush", "table", "inet", "ocicat_portmap");

    CniException status = web.status().error();
    assertThat(status.code()).isEqualTo(ErrorCode.LIMITED_CONNECTIVITY);
    assertThat(status.details()).contains("GC");

    web.withConfig(
            "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\","
                + "\"cni.dev/valid-attachments\":[{\"containerID\":\"pod2\",\"ifname\":\"eth0\"}]}")
        .gc()
        .ok();
    web.status().ok();
    web.check().ok();
  }

  /** Somebody else's table of our name: it cannot be used, and is not touched. */
  @Test
  void aStrangeTableIsLeftAlone(Host node) {
    node.command("nft", "-f", "-")
        .stdin("table inet ocicat_portmap { map ports4 { type ifname : verdict; }; }\n")
        .run();
    String before = node.exec("nft", "list", "ruleset").stdout();
    Attaching web = site.portmap(site.web(), "", "8080:80");

    assertThat(web.add().error().msg()).contains("ocicat_portmap");
    assertThat(web.status().error().code()).isEqualTo(ErrorCode.LIMITED_CONNECTIVITY);
    web.del().ok();
    assertThat(node.exec("nft", "list", "ruleset").stdout()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void theResultIsPassedOnInEveryVersion(String version, Host node) {
    Attaching web =
        site.attaching(site.web(), Site.config(version, site.web(), "", "8080:80", "53:53/udp"));

    assertThat(web.add().ok().path("ips"))
        .hasSize(2)
        .allMatch(ip -> ip.path("interface").asInt() == 1);
    if (!version.startsWith("0.3")) {
      web.check().ok();
    }
    assertThat(site.elements()).isNotEmpty();
    web.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0"})
  void theOldestVersionsNameNoInterfaces(String version, Host node) {
    String previous =
        "{\"cniVersion\":\"%s\",\"ip4\":{\"ip\":\"10.1.0.2/24\"},\"ip6\":{\"ip\":\"fd01::2/64\"}}"
            .formatted(version);
    Attaching web =
        site.attaching(
            site.web(),
            "{\"cniVersion\":\"%s\",\"name\":\"net\",\"type\":\"portmap\",\"prevResult\":%s,\"runtimeConfig\":{\"portMappings\":[{\"hostPort\":8080,\"containerPort\":80}]}}"
                .formatted(version, previous));

    assertThat(web.add().ok().at("/ip4/ip").asString()).isEqualTo("10.1.0.2/24");
    assertThat(node.exec("nft", "list", "map", "inet", "ocicat_portmap", "ports4").stdout())
        .contains("10.1.0.2 . 80");
    web.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  /**
   * Of several addresses the first of the interface counts, and those of other interfaces do not.
   */
  @Test
  void theInterfacesOwnAddressIsMapped(Host node) {
    String previous =
        """
        {"cniVersion":"1.1.0",
         "interfaces":[{"name":"cni0"},{"name":"eth9","sandbox":"/x"},{"name":"eth0","sandbox":"/x"},{"name":"eth0"}],
         "ips":[{"interface":0,"address":"10.1.0.1/24"},{"interface":1,"address":"10.1.0.90/24"},
                {"interface":3,"address":"10.1.0.91/24"},
                {"interface":2,"address":"10.1.0.5/24"},{"interface":2,"address":"10.1.0.6/24"}]}""";
    Attaching web = site.portmap(site.web(), "", "8080:80");
    web.withConfig(
            web.config().replaceFirst("(?s)\"prevResult\":.*", "\"prevResult\":" + previous + "}"))
        .add()
        .ok();

    assertThat(node.exec("nft", "list", "map", "inet", "ocicat_portmap", "ports4").stdout())
        .contains("tcp . 8080 comment \"net/pod2/eth0\" : 10.1.0.5 . 80 }");
  }

  /** What is behind a router has no access to the host's 127.0.0.1. */
  @Test
  void aContainerThatIsNotOnALinkOfTheHostOpensNone(Host node) {
    Site.ip(node, "address add 10.9.0.1/24 dev wire0\nroute add default via 10.9.0.2\n");
    Attaching web = site.portmap(site.web(), "", "0.0.0.0/8080:80");
    Attaching far = web.withConfig(web.config().replace("10.1.0.2", "172.20.0.2"));
    far.add().ok();
    far.check().ok();

    assertThat(node.exec("sysctl", "-n", "net.ipv4.conf.wire0.route_localnet").stdout())
        .isEqualTo("0\n");
    assertThat(site.elements()).noneMatch(element -> element.startsWith("link4"));
    far.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void withoutAnAddressNothingIsMappedAndThatIsSaid() {
    Attaching web = site.portmap(site.web(), "", "8080:80");
    Attaching bare = web.withConfig(web.config().replaceFirst("(?s)\"ips\":\\[.*", "\"ips\":[]}}"));

    assertThat(bare.add().stderr()).contains("no port is mapped");
    bare.check().ok();
    bare.del().ok();
    assertThat(site.elements()).isEmpty();
  }
}
