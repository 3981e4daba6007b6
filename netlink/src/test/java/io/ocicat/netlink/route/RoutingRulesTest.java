package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

@Hosts
class RoutingRulesTest {
  private TestNet net;
  private NetlinkSocket socket;

  @BeforeEach
  void open(Host host) {
    net = TestNet.of(host);
    socket = net.socket();
  }

  @AfterEach
  void close() {
    net.close();
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void everyDetailArrives(IpFamily family, Host host) {
    net.link("eth0");
    RoutingRule rule =
        RoutingRule.of(family)
            .priority(100)
            .not()
            .from(source(family))
            .to(destination(family))
            .mark(new Fwmark(0x10, 0xff))
            .iif("lo")
            .oif("eth0")
            .lookup(70000)
            .suppressPrefixLength(0)
            .protocol(RouteProtocol.STATIC);

    socket.perform(RoutingRules.add(rule));

    JsonNode shown = shown(host, family, 100);
    assertThat(shown.has("not")).isTrue();
    assertThat(shown.get("src").asString() + "/" + shown.get("srclen").asInt())
        .isEqualTo(source(family).toString());
    assertThat(shown.get("dst").asString() + "/" + shown.get("dstlen").asInt())
        .isEqualTo(destination(family).toString());
    assertThat(shown.get("fwmark").asString()).isEqualTo("0x10");
    assertThat(shown.get("fwmask").asString()).isEqualTo("0xff");
    assertThat(shown.get("iif").asString()).isEqualTo("lo");
    assertThat(shown.get("oif").asString()).isEqualTo("eth0");
    assertThat(shown.get("table").asString()).isEqualTo("70000");
    assertThat(shown.get("suppress_prefixlen").asInt()).isEqualTo(0);
    assertThat(shown.get("protocol").asString()).isEqualTo("static");
    assertThat(find(family, 100)).isEqualTo(rule);
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void aRuleMayAnswerItself(IpFamily family, Host host) {
    long priority = 200;
    for (RuleAction.Answer answer : RuleAction.Answer.values()) {
      RoutingRule rule =
          RoutingRule.of(family).priority(priority).from(source(family)).action(answer);
      socket.perform(RoutingRules.add(rule));

      assertThat(
              host.exec("ip", option(family), "rule", "show", "priority", "" + priority).stdout())
          .contains("from " + source(family) + " " + answer);
      assertThat(find(family, priority).action()).isEqualTo(answer);
      priority++;
    }
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void aRuleMayJumpForward(IpFamily family, Host host) {
    socket.perform(
        RoutingRules.add(RoutingRule.of(family).priority(300).action(new RuleAction.GoTo(32766))));

    assertThat(shown(host, family, 300).get("goto").asLong()).isEqualTo(32766);
    assertThat(find(family, 300).action()).isEqualTo(new RuleAction.GoTo(32766));
  }

  @Test
  void theKernelsOwnRulesAreListedInOrder() {
    assertThat(socket.list(RoutingRules.list(IpFamily.V4)))
        .extracting(RoutingRule::toString)
        .containsExactly(
            "IPv4 priority 0 from all lookup local proto kernel",
            "IPv4 priority 32766 from all lookup main proto kernel",
            "IPv4 priority 32767 from all lookup default proto kernel");
    assertThat(socket.list(RoutingRules.list(IpFamily.V6)))
        .extracting(RoutingRule::toString)
        .containsExactly(
            "IPv6 priority 0 from all lookup local proto kernel",
            "IPv6 priority 32766 from all lookup main proto kernel");
    assertThat(socket.list(RoutingRules.list())).hasSize(5);
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void withoutAPriorityTheKernelChoosesOne(IpFamily family) {
    socket.perform(RoutingRules.add(RoutingRule.of(family).from(source(family)).lookup(100)));

    assertThat(socket.list(RoutingRules.list(family)).get(1))
        .satisfies(rule -> assertThat(rule.priority()).isEqualTo(32765))
        .satisfies(rule -> assertThat(rule.protocol()).isEqualTo(RouteProtocol.BOOT));
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void addingTheSameRuleTwiceFails(IpFamily family) {
    RoutingRule rule = RoutingRule.of(family).priority(100).from(source(family)).lookup(100);
    socket.perform(RoutingRules.add(rule));

    assertThatThrownBy(() -> socket.perform(RoutingRules.add(rule)))
        .hasMessageStartingWith(
            "add rule %s priority 100 from %s lookup 100: File exists (EEXIST)"
                .formatted(family, source(family)));
    socket.perform(RoutingRules.add(rule.lookup(101)));
    assertThat(socket.list(RoutingRules.list(family)).stream().filter(one -> one.priority() == 100))
        .hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void deletingLooksOnlyAtWhatIsSaid(IpFamily family) {
    RoutingRule rule =
        RoutingRule.of(family).priority(100).from(source(family)).lookup(100).mark(Fwmark.of(1));
    socket.perform(RoutingRules.add(rule));

    for (RoutingRule other :
        List.of(
            rule.lookup(101),
            rule.priority(101),
            rule.mark(Fwmark.of(2)),
            rule.to(destination(family)),
            rule.iif("lo"),
            rule.action(RuleAction.Answer.BLACKHOLE),
            rule.protocol(RouteProtocol.BIRD))) {
      assertThatThrownBy(() -> socket.perform(RoutingRules.delete(other)))
          .isInstanceOfSatisfying(
              NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
          .hasMessageStartingWith("delete rule " + other + ": No such file");
    }
    socket.perform(RoutingRules.delete(RoutingRule.of(family).priority(100)));
    assertThat(socket.list(RoutingRules.list(family))).noneMatch(one -> one.priority() == 100);
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void whatIsListedCanBeDeletedAndAddedAgain(IpFamily family, Host host) {
    socket.perform(
        RoutingRules.add(RoutingRule.of(family).priority(10).from(source(family)).lookup(1000)),
        RoutingRules.add(
            RoutingRule.of(family).priority(11).not().mark(new Fwmark(0, 1)).lookup(254)),
        RoutingRules.add(RoutingRule.of(family).priority(12).action(RuleAction.Answer.PROHIBIT)),
        RoutingRules.add(RoutingRule.of(family).priority(13).action(new RuleAction.GoTo(32766))));
    String before = host.exec("ip", option(family), "rule").stdout();
    List<RoutingRule> own =
        socket.list(
            RoutingRules.list(family).where(rule -> !rule.protocol().equals(RouteProtocol.KERNEL)));

    socket.perform(own.stream().map(RoutingRules::delete).toList());
    assertThat(host.exec("ip", option(family), "rule").stdout()).doesNotContain("prohibit");
    socket.perform(own.stream().map(RoutingRules::add).toList());

    assertThat(own).hasSize(4);
    assertThat(host.exec("ip", option(family), "rule").stdout()).isEqualTo(before);
  }

  @Test
  void aLinkThatIsNotThereYetMayBeNamed(Host host) {
    socket.perform(
        RoutingRules.add(RoutingRule.of(IpFamily.V4).priority(100).iif("later0").lookup(100)));

    assertThat(shown(host, IpFamily.V4, 100).get("iif").asString()).isEqualTo("later0");
    assertThatThrownBy(
            () ->
                socket.perform(
                    RoutingRules.add(
                        RoutingRule.of(IpFamily.V4).iif("anamethatistoolong").lookup(100))))
        .hasMessageStartingWith(
            "add rule IPv4 from all iif anamethatistoolong lookup 100: "
                + "Numerical result out of range (ERANGE)");
  }

  @Test
  void whatCannotBeIsRefusedBeforeItIsSent() {
    RoutingRule rule = RoutingRule.of(IpFamily.V4);

    assertThatThrownBy(() -> RoutingRules.add(rule.priority(7)))
        .hasMessage(
            "rule \"IPv4 priority 7 from all\" needs an action: "
                + "lookup, blackhole, unreachable, prohibit, …");
    assertThatThrownBy(() -> rule.from(prefix("fd00::/64")))
        .hasMessage("an IPv4 rule cannot select packets from fd00::/64");
    assertThatThrownBy(() -> RoutingRule.of(IpFamily.V6).to(prefix("10.0.0.0/8")))
        .hasMessage("an IPv6 rule cannot select packets to 10.0.0.0/8");
    assertThatThrownBy(() -> rule.priority(1L << 32))
        .hasMessage("a rule's priority must be 0–4294967295, not 4294967296");
    assertThatThrownBy(() -> rule.lookup(0))
        .hasMessage("a rule cannot look up table 0: that number stands for none");
    assertThatThrownBy(() -> rule.suppressPrefixLength(129))
        .hasMessage("a rule suppresses prefix lengths of 0–128 (-1 for none), not 129");
  }

  private RoutingRule find(IpFamily family, long priority) {
    return socket
        .find(RoutingRules.list(family).where(rule -> rule.priority() == priority))
        .orElseThrow();
  }

  private static IpPrefix source(IpFamily family) {
    return prefix(family == IpFamily.V4 ? "10.1.0.0/16" : "fd01::/48");
  }

  private static IpPrefix destination(IpFamily family) {
    return prefix(family == IpFamily.V4 ? "10.2.0.0/16" : "fd02::/48");
  }

  private static String option(IpFamily family) {
    return family == IpFamily.V4 ? "-4" : "-6";
  }

  private static JsonNode shown(Host host, IpFamily family, long priority) {
    for (JsonNode rule : host.json("ip", "-j", "-d", option(family), "rule")) {
      if (rule.get("priority").asLong() == priority) {
        return rule;
      }
    }
    throw new AssertionError("no rule " + priority);
  }
}
