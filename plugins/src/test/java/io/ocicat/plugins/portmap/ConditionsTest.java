package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.Tcp.ask;
import static io.ocicat.plugins.portmap.Site.CLIENT;
import static io.ocicat.plugins.portmap.Site.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Tcp;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The subset of nft's language in conditions; nft itself prints what we made of it. */
@Hosts
class ConditionsTest {
  private static final String TARGET = " tcp dport 80 dnat ip to 10.1.0.2:80";
  private static final String TARGET6 = " tcp dport 80 dnat ip6 to [fd01::2]:80";

  /** All in one ADD each, and all shown by one nft, because starting it takes longer. */
  @Test
  void whatNftReadsTheSameWay(Host node) {
    Site site = Site.onPaper(node);
    List<String> v4 =
        List.of(
            "ip saddr 10.9.0.0/16",
            "ip saddr != 192.0.2.0/24",
            "ip saddr 192.0.2.7",
            "ip saddr != 10.9.0.1-10.9.0.9",
            "ip saddr 10.9.0.1-10.9.0.9",
            "ip saddr >= 10.9.0.1",
            "ip daddr 10.2.0.1",
            "ip saddr 10.9.0.0/20 ip daddr != 10.2.0.1",
            "tcp sport 1024-65535",
            "tcp sport != 22",
            "tcp sport < 1024",
            "th sport > 1023",
            "meta l4proto tcp",
            "iifname \"eth0\"",
            "iifname != \"eth0\"",
            "iifname \"eth*\"",
            "meta mark 0x00000001",
            "meta mark != 0x00000001-0x00000009",
            "meta mark & 0x000000ff == 0x00000010",
            "meta mark & 0x000000ff != 0x00000010",
            "ct mark 0x00000007");
    List<String> v6 =
        List.of("ip6 saddr fd09::/16", "ip6 saddr != fd09::1", "ip6 daddr fd02::1", "th sport 5");

    for (int i = 0; i < v4.size(); i++) {
      add(site, i, "V4", v4.get(i), "0.0.0.0");
    }
    for (int i = 0; i < v6.size(); i++) {
      add(site, v4.size() + i, "V6", v6.get(i), "::");
    }

    // nft omits what the port implies.
    assertThat(rules(node))
        .containsExactlyElementsOf(
            Stream.concat(v4.stream().map(c -> c + TARGET), v6.stream().map(c -> c + TARGET6))
                .map(rule -> rule.replace("meta l4proto tcp ", ""))
                .toList());
  }

  private static void add(Site site, int pod, String family, String condition, String hostIp) {
    String token = condition.replace("\"", "\\\"");
    site.portmap(
            new Site.Pod("/run/netns/none", 2),
            "\"conditions%s\":[\"%s\"]".formatted(family, token),
            "[%s]/80:80".formatted(hostIp))
        .with("CNI_CONTAINERID", "pod" + pod)
        .add()
        .ok();
  }

  /** Different splits into tokens, synonyms, and sets. */
  @Test
  void otherWaysToSayIt(Host node) {
    Site site = Site.onPaper(node);
    Map<String, String> ways = new LinkedHashMap<>();
    ways.put("'ip','saddr','!=','10.9.0.0/16'", "ip saddr != 10.9.0.0/16");
    ways.put("'ip saddr','!= 10.9.0.0/16'", "ip saddr != 10.9.0.0/16");
    ways.put("'ip','saddr','ne','10.9.0.1'", "ip saddr != 10.9.0.1");
    ways.put("'ip saddr eq 10.9.0.1'", "ip saddr 10.9.0.1");
    ways.put("'ip saddr == 10.9.0.1'", "ip saddr 10.9.0.1");
    ways.put("'tcp sport le 9'", "tcp sport <= 9");
    ways.put("'meta iifname eth0'", "iifname \"eth0\"");
    ways.put("'mark 16'", "meta mark 0x00000010");
    ways.put("'mark & 0xf == 1'", "meta mark & 0x0000000f == 0x00000001");
    ways.put("'ip saddr { 10.9.0.1 }'", "ip saddr 10.9.0.1");
    ways.put("'ip saddr {10.9.0.1,10.8.0.0/16}'", "ip saddr 10.9.0.1;ip saddr 10.8.0.0/16");
    ways.put(
        "'ip','saddr','{','10.9.0.1,','10.9.0.2','}','iifname {a,b}'",
        "ip saddr 10.9.0.1 iifname \"a\";ip saddr 10.9.0.1 iifname \"b\";"
            + "ip saddr 10.9.0.2 iifname \"a\";ip saddr 10.9.0.2 iifname \"b\"");
    ways.put("'ip saddr != { 10.9.0.1, 10.9.0.2 }'", "ip saddr != 10.9.0.1 ip saddr != 10.9.0.2");
    ways.put("'tcp sport { 1-5, 9 }'", "tcp sport 1-5;tcp sport 9");

    ways.forEach(
        (tokens, rules) -> {
          Attaching web =
              site.portmap(
                  site.web(),
                  "\"conditionsV4\":[%s]".formatted(tokens.replace('\'', '"')),
                  "0.0.0.0/80:80");
          web.add().ok();
          web.check().ok();

          assertThat(rules(node))
              .as(tokens)
              .containsExactlyElementsOf(Stream.of(rules.split(";")).map(c -> c + TARGET).toList());
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "ip6 saddr fd00::/8|\"ip6 saddr\" is no field of an IPv4 packet: use it in conditionsV6",
        "ip saddr|they end where a value is expected",
        "ip|they end where a field of \"ip\" is expected",
        "ip ttl 5|\"ip ttl\" is no field that conditions can be about",
        "oifname eth0|\"oifname\" is no field that conditions can be about",
        "ct state new|\"ct state\" is no field that conditions can be about",
        "10.0.0.1|\"10.0.0.1\" is no field that conditions can be about",
        "ip saddr @blocked|\"@blocked\" is not an IP address",
        "ip saddr fd00::1|fd00::1 is no IPv4 address",
        "ip saddr fd00::/8|fd00::/8 is no IPv4 prefix",
        "ip saddr 10.0.0.0/33|\"10.0.0.0/33\" is not a CIDR",
        "ip saddr < 10.0.0.0/8|10.0.0.0/8 can follow == and != only, not <",
        "ip saddr 10.0.0.9-10.0.0.1|\"10.0.0.9-10.0.0.1\" ends before it begins",
        "ip saddr { 10.0.0.1|they end where a comma or } is expected",
        "ip saddr { 10.0.0.1 10.0.0.2 }|\"10.0.0.2\" stands where a comma or } is expected",
        "ip saddr { }|\"}\" stands where a value is expected",
        "ip saddr }|\"}\" stands where a value is expected",
        "ip saddr > { 10.0.0.1, 10.0.0.2 }|a set in { } can follow == and != only, not >",
        "tcp sport http|\"http\" is not a number 0–65535",
        "tcp sport 65536|\"65536\" is not a number 0–65535",
        "tcp flags syn|\"tcp flags\" is no field that conditions can be about",
        "meta l4proto icmp|\"icmp\" is not tcp, udp or sctp",
        "meta l4proto > tcp|tcp can follow == and != only, not >",
        "iifname a-name-too-long-for-it|\"a-name-too-long-for-it\" cannot name an interface",
        "iifname != eth*|\"eth*\" cannot follow !=: name the interfaces",
        "iifname < eth0|eth0 can follow == and != only, not <",
        "mark 0x1ffffffff|\"0x1ffffffff\" is not a number 0–4294967295",
        "mark & x == 1|\"x\" is not a number 0–4294967295",
        "iifname \"eth0|begins a quote that does not end",
        "tcp sport { 1, 2, 3, 4, 5, 6, 7, 8, 9 } iifname { a, b, c, d, e, f, g, h }|more than 64 combinations",
      })
  void whatIsNotUnderstoodIsSaid(String conditions, String message) {
    assertThatThrownBy(() -> Conditions.parse(FamilySets.V4, List.of(conditions)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp sport 53", "meta l4proto udp"})
  void whatCanNeverHoldIsRefused(String conditions, Host node) {
    Site site = Site.onPaper(node);

    assertThat(
            site.portmap(
                    site.web(), "\"conditionsV4\":[\"%s\"]".formatted(conditions), "0.0.0.0/80:80")
                .add()
                .error()
                .msg())
        .startsWith("conditionsV4 can never hold for host port 80/tcp: ");
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void packetsAreJudgedByThem(Host node, Host pod, Host neighbour, Host client) throws IOException {
    Site site = Site.build(node, pod, neighbour, client);
    String inside = "\"conditionsV4\":[\"ip\",\"saddr\",\"10.1.0.0/24\"]";
    String outside = "\"conditionsV4\":[\"ip\",\"saddr\",\"!=\",\"10.1.0.0/24\"]";
    site.portmap(site.web(), outside, "0.0.0.0/8080:80").add().ok();
    site.portmap(site.db(), inside, "0.0.0.0/8080:80", "8081:80").add().ok();

    try (ServerSocket web = Tcp.serve(pod, 80, "web");
        ServerSocket db = Tcp.serve(neighbour, 80, "db")) {
      assertThat(web.isBound() && db.isBound()).isTrue();
      assertThat(ask(client, NODE, 8080)).isEqualTo("web sees " + CLIENT);
      assertThat(ask(pod, NODE, 8080)).startsWith("db");
      assertThat(ask(client, NODE, 8081)).isEqualTo("no answer");
      assertThat(ask(pod, NODE, 8081)).startsWith("db");
      assertThat(ask(client, Site.NODE6, 8081)).as("no conditions for IPv6").startsWith("db");
    }
  }

  /** Without the comment. */
  private static List<String> rules(Host node) {
    return node.exec("nft", "list", "chain", "inet", "ocicat_portmap", "conditional")
        .stdout()
        .lines()
        .map(String::strip)
        .filter(line -> line.contains(" dnat "))
        .map(line -> line.replaceAll(" comment .*", ""))
        .toList();
  }
}
