package io.ocicat.agent.kernel;

import static io.ocicat.agent.kernel.FilterNode.OPEN;
import static io.ocicat.agent.kernel.FilterNode.only;
import static io.ocicat.agent.kernel.FilterNode.policy;
import static io.ocicat.agent.kernel.Rules.IPS;
import static io.ocicat.agent.kernel.Rules.NETS;
import static io.ocicat.agent.kernel.Rules.allow;
import static io.ocicat.agent.kernel.Rules.network;
import static io.ocicat.agent.kernel.Rules.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The kernel's sets follow members that overlap, come and go. */
@Hosts
class MemberSetsTest {
  private FilterNode node;

  @BeforeEach
  void start(Host host) {
    node = new FilterNode(host);
    host.exec("ip", "link", "add", "cali1", "type", "veth", "peer", "name", "peer1");
    node.filter.addSet(NETS);
    node.filter.setRules(policy("p"), List.of(allow(0).source(with().sets(List.of(NETS)))));
    node.filter.setWorkload(new WorkloadFilter("cali1", "pod", only("p"), OPEN, List.of()));
    node.apply();
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void add(String... prefixes) {
    List.of(prefixes).forEach(prefix -> node.filter.addMember(NETS, network(prefix)));
    node.apply();
  }

  private void remove(String... prefixes) {
    List.of(prefixes).forEach(prefix -> node.filter.removeMember(NETS, network(prefix)));
    node.apply();
  }

  /** The elements of the set that the rules look into. */
  private Set<String> elements() {
    String set =
        node.host
            .exec("sh", "-c", "nft list table inet ocicat_policy | grep -o 'ip saddr @[^ ]*'")
            .stdout()
            .strip()
            .replace("ip saddr @", "");
    String listed =
        node.host.exec("nft", "-j", "list", "set", "inet", "ocicat_policy", set).stdout();
    return node.host
        .exec("nft", "list", "set", "inet", "ocicat_policy", set)
        .stdout()
        .lines()
        .filter(line -> listed.contains("elem"))
        .flatMap(
            line ->
                List.of(
                    line.replaceAll(".*= \\{|[{}]|.*type.*|.*set.*|.*table.*|.*flags.*", "")
                        .split(","))
                    .stream())
        .map(String::strip)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void networksThatOverlapCountOnce() {
    add("10.0.0.1/32", "10.0.0.2/32");
    assertThat(elements()).containsExactly("10.0.0.1", "10.0.0.2");
    add("10.0.0.0/24");
    assertThat(elements()).containsExactly("10.0.0.0/24");
    add("10.0.0.0/16", "10.1.0.0/16", "10.0.3.0/24");
    assertThat(elements()).containsExactly("10.0.0.0/16", "10.1.0.0/16");
    remove("10.0.0.0/16");
    assertThat(elements()).containsExactly("10.0.0.0/24", "10.0.3.0/24", "10.1.0.0/16");
    remove("10.0.0.0/24", "10.0.3.0/24");
    assertThat(elements()).containsExactly("10.0.0.1", "10.0.0.2", "10.1.0.0/16");
    remove("10.1.0.0/16");
    assertThat(elements()).containsExactly("10.0.0.1", "10.0.0.2");
    add("0.0.0.0/0", "fd00::/8");
    assertThat(elements()).containsExactly("0.0.0.0/0");
    remove("0.0.0.0/0", "10.0.0.1/32", "10.0.0.2/32");
    assertThat(elements()).isEmpty();
  }

  @Test
  void randomChangesEndInTheSameSetAsAFreshStart() {
    Random random = new Random(7);
    List<String> pool = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int length = 8 + random.nextInt(25);
      pool.add(
          IpPrefix.of(IpAddress.ofV4(0x0a000000 | random.nextInt(1 << 10) << 4), length)
              .network()
              .toString());
    }
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < 1 + random.nextInt(5); i++) {
        SetMember member = network(pool.get(random.nextInt(pool.size())));
        if (random.nextInt(5) < 3) {
          node.filter.addMember(NETS, member);
        } else {
          node.filter.removeMember(NETS, member);
        }
      }
      node.apply();
    }
    node.reconciler(true);
    node.apply();
    assertThat(node.now().writes()).as("%s", node.filter.sets()).isZero();
  }

  @Test
  void manyMembersGoInOneTransactionAndOneMoreIsOneElement() {
    for (int i = 0; i < 20_000; i++) {
      node.filter.addMember(NETS, member(i));
    }
    node.filter.addSet(IPS);
    node.apply();
    long writes = node.now().writes();
    node.filter.addMember(NETS, member(20_000));
    node.filter.removeMember(NETS, member(5));
    node.apply();
    assertThat(node.now().writes() - writes).isEqualTo(2);
    node.reconciler(true);
    node.apply();
    assertThat(node.now().writes()).isZero();
  }

  private static SetMember member(int number) {
    return new SetMember.Network(IpPrefix.host(IpAddress.ofV4(0x0b000000 + number)));
  }
}
