package io.ocicat.plugins.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.Arrays;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What nft prints of our table, which is also what people will read. */
@Hosts
class PortmapRulesetTest {
  private static final Pattern ELEMENTS = Pattern.compile("elements = \\{ (.*?) }", Pattern.DOTALL);

  private static final String RULES =
      """
      	chain hostports {
      		jump conditional
      		dnat ip to ip daddr . meta l4proto . th dport map @hostip_ports4
      		dnat ip6 to ip6 daddr . meta l4proto . th dport map @hostip_ports6
      		dnat ip to meta l4proto . th dport map @ports4
      		dnat ip6 to meta l4proto . th dport map @ports6
      	}

      	chain masq {
      		ip saddr . ip daddr @hairpin4 masquerade
      		iifname . ip daddr @link4 masquerade
      		ip daddr @masq_all4 masquerade
      		ip6 saddr . ip6 daddr @hairpin6 masquerade
      		iifname . ip6 daddr @link6 masquerade
      		ip6 daddr @masq_all6 masquerade
      	}

      	chain prerouting {
      		type nat hook prerouting priority dstnat; policy accept;
      		fib daddr type local jump hostports
      	}

      	chain output {
      		type nat hook output priority -100; policy accept;
      		fib daddr type local jump hostports
      	}

      	chain postrouting {
      		type nat hook postrouting priority srcnat; policy accept;
      		ct status dnat jump masq
      	}

      	chain input {
      		type filter hook input priority filter; policy accept;
      		ip daddr 127.0.0.0/8 iifname != "lo" ct status ! dnat drop
      		ip daddr 127.0.0.0/8 iifname != "lo" ct state invalid,untracked drop
      	}
      }
      """;

  private Site site;

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  @Test
  void aPodWithPortsAndOneWithConditions(Host node) {
    site.portmap(site.web(), "", "8080:80", "10.2.0.1/53:53/udp").add().ok();
    site.portmap(
            site.db(),
            "\"masqAll\":true,\"conditionsV4\":[\"ip\",\"saddr\",\"!=\",\"10.9.0.0/16\"]",
            "5432:5432")
        .add()
        .ok();

    assertThat(ruleset(node))
        .isEqualTo(
            """
            table inet ocicat_portmap {
            	comment "ocicat: ports of the host that lead to containers"
            	map ports4 {
            		type inet_proto . inet_service : ipv4_addr . inet_service
            		elements = { tcp . 8080 comment "net/pod2/eth0" : 10.1.0.2 . 80 }
            	}

            	map hostip_ports4 {
            		type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service
            		elements = { 10.2.0.1 . udp . 53 comment "net/pod2/eth0" : 10.1.0.2 . 53 }
            	}

            	map waiting4 {
            		type ipv4_addr . inet_proto . inet_service . ifname : ipv4_addr . inet_service
            	}

            	set hairpin4 {
            		type ipv4_addr . ipv4_addr
            		elements = { 10.1.0.2 . 10.1.0.2 comment "net/pod2/eth0",
            			     127.0.0.1 . 10.1.0.2 comment "net/pod2/eth0" }
            	}

            	set link4 {
            		type ifname . ipv4_addr
            		elements = { "cni0" . 10.1.0.2 comment "net/pod2/eth0" }
            	}

            	set masq_all4 {
            		type ipv4_addr
            		elements = { 10.1.0.3 comment "net/pod3/eth0" }
            	}

            	map owners4 {
            		type ifname . inet_service : ipv4_addr . inet_proto . inet_service . ipv4_addr . ifname
            		elements = { "dfpmfa4jwuf624q" . 0 comment "net/pod3/eth0" : 0.0.0.0 . tcp . 5432 . 10.1.0.3 . "cni0",
            			     "zw6w4kx6ssddosm" . 0 comment "net/pod2/eth0" : 0.0.0.0 . tcp . 8080 . 10.1.0.2 . "cni0",
            			     "zw6w4kx6ssddosm" . 1 comment "net/pod2/eth0" : 10.2.0.1 . udp . 53 . 10.1.0.2 . "cni0" }
            	}

            	map ports6 {
            		type inet_proto . inet_service : ipv6_addr . inet_service
            		elements = { tcp . 5432 comment "net/pod3/eth0" : fd01::3 . 5432,
            			     tcp . 8080 comment "net/pod2/eth0" : fd01::2 . 80 }
            	}

            	map hostip_ports6 {
            		type ipv6_addr . inet_proto . inet_service : ipv6_addr . inet_service
            	}

            	map waiting6 {
            		type ipv6_addr . inet_proto . inet_service . ifname : ipv6_addr . inet_service
            	}

            	set hairpin6 {
            		type ipv6_addr . ipv6_addr
            		elements = { ::1 . fd01::2 comment "net/pod2/eth0",
            			     fd01::2 . fd01::2 comment "net/pod2/eth0" }
            	}

            	set link6 {
            		type ifname . ipv6_addr
            		elements = { "cni0" . fd01::2 comment "net/pod2/eth0" }
            	}

            	set masq_all6 {
            		type ipv6_addr
            		elements = { fd01::3 comment "net/pod3/eth0" }
            	}

            	map owners6 {
            		type ifname . inet_service : ipv6_addr . inet_proto . inet_service . ipv6_addr . ifname
            		elements = { "dfpmfa4jwuf624q" . 0 comment "net/pod3/eth0" : :: . tcp . 5432 . fd01::3 . "cni0",
            			     "zw6w4kx6ssddosm" . 0 comment "net/pod2/eth0" : :: . tcp . 8080 . fd01::2 . "cni0" }
            	}

            	chain conditional {
            		ip saddr != 10.9.0.0/16 tcp dport 5432 dnat ip to 10.1.0.3:5432 comment "net/pod3/eth0"
            	}

            """
                + RULES);
  }

  /** A backup made with nft can be restored with nft. */
  @Test
  void nftReadsItBack(Host node) {
    site.portmap(site.web(), "", "8080:80", "10.2.0.1/53:53/udp").add().ok();
    String before = ruleset(node);

    node.command("nft", "-f", "-")
        .stdin("flush ruleset\n" + node.exec("nft", "list", "ruleset").stdout())
        .run();

    assertThat(ruleset(node)).isEqualTo(before);
    site.portmap(site.web(), "").del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void delLeavesTheTableEmpty(Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80", "10.2.0.1/53:53/udp");
    Attaching db = site.portmap(site.db(), "\"conditionsV4\":[\"iifname wire0\"]", "5432:5432");
    web.add().ok();
    db.add().ok();

    web.del().ok();
    db.del().ok();

    assertThat(ruleset(node)).endsWith("\tchain conditional {\n\t}\n\n" + RULES);
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void withoutPortsNothingIsTouched(Host node) {
    Attaching portmap = site.portmap(site.web(), "");

    assertThat(portmap.add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.0.2/24");
    portmap.check().ok();
    portmap.del().ok();

    assertThat(ruleset(node)).isEmpty();
    assertThat(node.exec("sysctl", "-n", "net.ipv4.conf.cni0.route_localnet").stdout())
        .isEqualTo("0\n");
  }

  /** With the elements of each set in alphabetical order: the kernel's order is that of hashes. */
  private static String ruleset(Host node) {
    return ELEMENTS
        .matcher(node.exec("nft", "list", "ruleset").stdout())
        .replaceAll(PortmapRulesetTest::sorted);
  }

  private static String sorted(MatchResult elements) {
    return Arrays.stream(elements.group(1).split(",\n\\s*"))
        .sorted()
        .collect(Collectors.joining(",\n\t\t\t     ", "elements = { ", " }"));
  }
}
