package io.ocicat.agent.kernel;

import static io.ocicat.agent.kernel.FilterNode.policy;
import static io.ocicat.agent.kernel.Rules.UDP;
import static io.ocicat.agent.kernel.Rules.rule;
import static io.ocicat.agent.kernel.Rules.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.EndpointRules.End;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.ip.IpAddress;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Packets of a host whose interface has a host endpoint. */
@Hosts
class HostEndpointsTest {
  private static final String NODE = "192.168.7.1";
  private static final String OUTSIDE = "192.168.7.2";

  private FilterNode node;
  private FilterPod self;
  private FilterPod outside;
  private FilterPod pod;

  @BeforeEach
  void connect(Host host, Host other, Host first) {
    node = new FilterNode(host);
    self = new FilterPod(host, 0);
    outside = new FilterPod(other, 0);
    pod = node.pod(first, 1);
    host.exec(
        "sh",
        "-c",
        """
        set -e
        ip link add eth0 type veth peer name eth0 netns %s
        ip addr add %s/24 dev eth0
        ip addr add fd07::1/64 dev eth0 nodad
        ip link set eth0 up
        """
            .formatted(other.name(), NODE));
    other.exec(
        "sh",
        "-c",
        """
        set -e
        ip addr add %s/24 dev eth0
        ip addr add fd07::2/64 dev eth0 nodad
        ip link set eth0 up
        ip route add 10.65.0.0/16 via %s
        """
            .formatted(OUTSIDE, NODE));
    list("allow-80", PolicyAction.ALLOW, "80");
    list("deny-80", PolicyAction.DENY, "80");
    node.apply();
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void list(String name, PolicyAction action, String ports) {
    node.filter.setRules(policy(name), List.of(rule(action, UDP).destination(with().ports(ports))));
  }

  private static EndpointRules only(String policy) {
    return FilterNode.only(policy);
  }

  /** As policies before translation or tracking have it: what they do not match goes on. */
  private static EndpointRules early(String policy) {
    return new EndpointRules(
        List.of(new TierRules("default", List.of(policy(policy)), true)), List.of(), End.CONTINUE);
  }

  private static HostFilter endpoint(String link, EndpointRules ingress, EndpointRules egress) {
    return new HostFilter(
        "hep",
        link,
        List.of(),
        ingress,
        egress,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private void apply(HostFilter host) {
    node.filter.setHost(host);
    node.apply();
  }

  private void expect(boolean allowed, FilterPod from, FilterPod to, String address, int port) {
    assertThat(allowed ? from.udp(to, address, port) : from.udpDenied(to, address, port))
        .as("%d: %s", port, node.table())
        .isTrue();
  }

  @Test
  void ownPacketsOfTheHost() {
    expect(true, outside, self, NODE, 80);
    apply(endpoint("eth0", only("allow-80"), only("allow-80")));
    expect(true, outside, self, NODE, 80);
    expect(false, outside, self, NODE, 81);
    expect(true, self, outside, OUTSIDE, 80);
    expect(false, self, outside, OUTSIDE, 81);
    expect(true, outside, pod, pod.v4(), 81);
    expect(true, pod, self, NODE, 81);
    expect(true, self, pod, pod.v4(), 81);
    node.filter.removeHost("hep");
    node.apply();
    expect(true, outside, self, NODE, 81);
  }

  @Test
  void failsafesStayOpen() {
    node.filter.setSettings(HostSettings.openPort(22));
    apply(endpoint("eth0", EndpointRules.CLOSED, EndpointRules.CLOSED));
    expect(true, outside, self, NODE, 22);
    expect(true, outside, self, "fd07::1", 22);
    expect(true, self, outside, OUTSIDE, 22);
    expect(false, outside, self, NODE, 80);
    expect(false, self, outside, "fd07::2", 80);
    node.filter.setSettings(HostSettings.failsafe(22, "192.168.7.2/32", "10.0.0.0/8"));
    node.apply();
    expect(true, outside, self, NODE, 22);
    expect(true, self, outside, OUTSIDE, 22);
    expect(false, outside, self, "fd07::1", 22);
    node.filter.setSettings(HostSettings.failsafe(22, "192.168.7.3/32"));
    node.apply();
    expect(false, outside, self, NODE, 22);
  }

  @Test
  void endpointsAreFoundByAddressOrAsTheRest() {
    HostFilter base = endpoint("", only("allow-80"), only("allow-80"));
    apply(
        new HostFilter(
            "hep",
            "",
            List.of(IpAddress.parse(NODE)),
            base.ingress(),
            base.egress(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
    expect(false, outside, self, NODE, 81);
    apply(endpoint("other0", EndpointRules.CLOSED, EndpointRules.CLOSED));
    expect(true, outside, self, NODE, 81);
    apply(endpoint("*", only("allow-80"), only("allow-80")));
    expect(true, outside, self, NODE, 80);
    expect(false, outside, self, NODE, 81);
    expect(false, self, outside, OUTSIDE, 81);
    expect(true, self, self, "127.0.0.1", 81);
    expect(true, self, pod, pod.v4(), 81);
    expect(true, outside, pod, pod.v4(), 81);
  }

  @Test
  void forwardedPackets() {
    HostFilter base = endpoint("eth0", FilterNode.OPEN, FilterNode.OPEN);
    EndpointRules rules =
        new EndpointRules(
            List.of(new TierRules("default", List.of(policy("allow-80")), false)),
            List.of(),
            End.CONTINUE);
    apply(
        new HostFilter(
            "hep",
            "eth0",
            List.of(),
            base.ingress(),
            base.egress(),
            Optional.of(rules),
            Optional.of(rules),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
    expect(true, outside, pod, pod.v4(), 80);
    expect(false, outside, pod, pod.v4(), 81);
    outside.host().exec("ip", "route", "replace", "10.65.0.0/16", "via", NODE);
    expect(true, pod, outside, OUTSIDE, 80);
    expect(false, pod, outside, OUTSIDE, 81);
    expect(true, outside, self, NODE, 81);
  }

  @Test
  void beforeTranslation() {
    node.host.exec(
        "nft",
        "table ip nat { chain pre { type nat hook prerouting priority -100;"
            + " udp dport 80 dnat to %s:90; udp dport 70 dnat to %s:90; } ; }"
                .formatted(pod.v4(), pod.v4()));
    HostFilter base = endpoint("eth0", EndpointRules.CLOSED, FilterNode.OPEN);
    apply(early(base, Optional.of(early("deny-80")), Optional.empty()));
    assertThat(reachesTranslated(70, true)).as("%s", node.table()).isTrue();
    assertThat(reachesTranslated(80, false)).isFalse();
    expect(false, outside, self, NODE, 81);
    list("allow-81", PolicyAction.ALLOW, "81");
    apply(early(base, Optional.of(early("allow-81")), Optional.empty()));
    expect(true, outside, self, NODE, 81);
    expect(false, outside, self, NODE, 82);
  }

  private boolean reachesTranslated(int port, boolean expected) {
    return outside.udp(pod, pod.v4(), 90, NODE, port, expected);
  }

  private static HostFilter early(
      HostFilter base, Optional<EndpointRules> preDnat, Optional<EndpointRules> untracked) {
    return new HostFilter(
        base.name(),
        base.interfaceName(),
        base.addresses(),
        base.ingress(),
        base.egress(),
        Optional.empty(),
        Optional.empty(),
        preDnat,
        untracked,
        untracked);
  }

  @Test
  void withoutTracking() {
    HostFilter base = endpoint("eth0", EndpointRules.CLOSED, EndpointRules.CLOSED);
    apply(early(base, Optional.empty(), Optional.of(early("allow-80"))));
    expect(true, outside, self, NODE, 80);
    expect(true, self, outside, OUTSIDE, 80);
    expect(false, outside, self, NODE, 81);
    expect(false, self, outside, OUTSIDE, 81);
    HostFilter open = endpoint("eth0", FilterNode.OPEN, FilterNode.OPEN);
    apply(early(open, Optional.empty(), Optional.of(early("deny-80"))));
    expect(false, outside, self, NODE, 80);
    expect(false, self, outside, OUTSIDE, 80);
    expect(true, outside, self, NODE, 81);
  }

  @Test
  void ownPacketsWhoseDestinationIsTranslated() {
    node.host.exec(
        "nft",
        ("table ip nat { chain out { type nat hook output priority -100;"
                + " ip daddr 10.96.0.1 udp dport 1 dnat to %s:80;"
                + " ip daddr 10.96.0.1 udp dport 2 dnat to %s:81;"
                + " ip daddr 10.96.0.1 udp dport 3 dnat to %s:81; } ; }")
            .formatted(OUTSIDE, OUTSIDE, pod.v4()));
    node.host.exec("ip", "route", "add", "10.96.0.1", "dev", "eth0");
    apply(endpoint("eth0", FilterNode.OPEN, only("allow-80")));
    assertThat(self.udp(outside, OUTSIDE, 80, "10.96.0.1", 1, true)).as(node.table()).isTrue();
    assertThat(self.udp(outside, OUTSIDE, 81, "10.96.0.1", 2, false)).isFalse();
    assertThat(self.udp(pod, pod.v4(), 81, "10.96.0.1", 3, true)).isTrue();
  }

  @Test
  void deniedPacketsAreAnsweredWhereThatIsWanted() {
    node.filter.setSettings(HostSettings.rejecting());
    node.endpoint(pod, only("allow-80"), FilterNode.OPEN);
    apply(endpoint("eth0", FilterNode.OPEN, only("allow-80")));
    expect(false, outside, pod, pod.v4(), 81);
    assertThat(outside.host().tryExec("ping", "-c1", "-W2", pod.v4()).stdout())
        .contains("Unreachable");
  }
}
