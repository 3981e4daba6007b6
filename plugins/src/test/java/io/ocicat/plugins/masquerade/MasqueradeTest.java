package io.ocicat.plugins.masquerade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which owner has which address; no other owner's address is touched. */
@Hosts
class MasqueradeTest {
  private static final NetworkName NETWORK = new NetworkName("mynet");
  private static final int MANY = 50;

  private NetnsSockets net;

  @BeforeEach
  void open(Host host) {
    net = NetnsSockets.of(host.path());
  }

  @AfterEach
  void close() {
    net.close();
  }

  @Test
  void nftShowsItReadably(Host host) {
    Masquerade.install(net, owner("ctr1"), addresses("10.1.2.5/24"));

    assertThat(host.exec("nft", "list", "ruleset").stdout())
        .isEqualTo(
            """
            table inet ocicat_masquerade {
            	comment "ocicat: connections that leave with the host's address"
            	set sources4 {
            		type ipv4_addr
            		elements = { 10.1.2.5 comment "mynet/ctr1/eth0" }
            	}

            	set owners4 {
            		type ifname
            		elements = { "ujepoeslhivrjb7" comment "10.1.2.5/24" }
            	}

            	set neighbours4_24 {
            		type ipv4_addr . ipv4_addr
            		elements = { 10.1.2.5 . 10.1.2.0 comment "mynet/ctr1/eth0" }
            	}

            	set sources6 {
            		type ipv6_addr
            	}

            	set owners6 {
            		type ifname
            	}

            	chain postrouting {
            		type nat hook postrouting priority srcnat; policy accept;
            		ip saddr @sources4 goto leaving4
            		ip6 saddr @sources6 goto leaving6
            	}

            	chain leaving4 {
            		ip saddr . ip daddr & 255.255.255.0 @neighbours4_24 return
            		ip daddr 224.0.0.0/4 return
            		masquerade
            	}

            	chain leaving6 {
            		ip6 daddr ff00::/8 return
            		masquerade
            	}
            }
            """);
  }

  @Test
  void nftReadsBackWhatItShows(Host host) {
    install("ctr1", "10.1.2.5/24", "10.9.0.1/0", "10.9.0.2/32", "fd00::5/64", "fd00::6/127");
    String shown = host.exec("nft", "list", "ruleset").stdout();
    host.exec("nft", "flush", "ruleset");
    host.command("nft", "-f", "-").stdin(shown).run();

    Masquerade.verify(
        net,
        owner("ctr1"),
        addresses("10.1.2.5/24", "10.9.0.1/0", "10.9.0.2/32", "fd00::5/64", "fd00::6/127"));
    Masquerade.remove(net, owner("ctr1"));
    assertThat(elements(host)).isEmpty();
  }

  @Test
  void removalNeedsNoAddress(Host host) {
    install("ctr1", "10.1.2.5/24", "fd00::5/64");
    install("ctr2", "10.1.2.6/24", "10.3.2.6/16", "fd00::6/64");
    Masquerade.remove(net, owner("ctr2"));
    assertThat(elements(host)).isNotEmpty().noneMatch(line -> line.contains("ctr2"));
    Masquerade.verify(net, owner("ctr1"), addresses("10.1.2.5/24", "fd00::5/64"));

    Masquerade.remove(net, owner("ctr1"));
    Masquerade.remove(net, owner("ctr1"));
    assertThat(elements(host)).isEmpty();
  }

  @Test
  void removalOfNothingMakesNothing(Host host) {
    Masquerade.remove(net, owner("ctr1"));
    Masquerade.collect(net, NETWORK, Set.of());

    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @Test
  void theSameOwnerExchangesWhatItHas(Host host) {
    install("ctr1", "10.1.2.5/24", "10.1.2.6/24", "fd00::5/64");
    install("ctr1", "10.1.2.6/16", "10.1.2.7/24");

    Masquerade.verify(net, owner("ctr1"), addresses("10.1.2.6/16", "10.1.2.7/24"));
    assertThat(elements(host)).noneMatch(line -> line.contains("10.1.2.5"));
    assertThat(elements(host)).noneMatch(line -> line.contains("10.1.2.6 . 10.1.2.0"));
    assertThat(elements(host)).noneMatch(line -> line.contains("fd00"));

    install("ctr1", "10.1.2.6/16", "10.1.2.7/24");
    Masquerade.remove(net, owner("ctr1"));
    assertThat(elements(host)).isEmpty();
  }

  @Test
  void anAddressUsedAgainBelongsToItsNewOwner(Host host) {
    install("old", "10.1.2.5/24", "10.1.2.6/24", "fd00::5/64");
    install("new", "10.1.2.5/16");
    Masquerade.verify(net, owner("new"), addresses("10.1.2.5/16"));
    Masquerade.verify(net, owner("old"), addresses("10.1.2.6/24", "fd00::5/64"));

    Masquerade.remove(net, owner("old"));
    Masquerade.verify(net, owner("new"), addresses("10.1.2.5/16"));
    assertThat(elements(host)).noneMatch(line -> line.contains("old"));

    Masquerade.remove(net, owner("new"));
    assertThat(elements(host)).isEmpty();
  }

  @Test
  void interfacesOfOneContainerAreOwnersOfTheirOwn() {
    AttachmentOwner eth1 =
        new AttachmentOwner(NETWORK, new ContainerId("ctr1"), new InterfaceName("eth1"));
    install("ctr1", "10.1.2.5/24");
    Masquerade.install(net, eth1, addresses("10.1.2.6/24"));

    Masquerade.remove(net, eth1);

    Masquerade.verify(net, owner("ctr1"), addresses("10.1.2.5/24"));
  }

  @Test
  void anOwnerMayHaveMoreThanACommentHolds(Host host) {
    String[] many =
        IntStream.range(1, 40)
            .mapToObj(i -> "fd00:1111:2222:3333:4444:5555:6666:%x/64".formatted(i))
            .toArray(String[]::new);
    install("ctr2", "fd00:1111:2222:3333::1/64");
    install("ctr1", many);
    Masquerade.verify(net, owner("ctr1"), addresses(many));

    Masquerade.remove(net, owner("ctr1"));

    assertThat(elements(host)).noneMatch(line -> line.contains("ctr1"));
    Masquerade.verify(net, owner("ctr2"), addresses("fd00:1111:2222:3333::1/64"));
  }

  @Test
  void longNamesKeepOwnersApart(Host host) {
    String stem = "c".repeat(300);
    install(stem + "1", "10.1.2.5/24");
    install(stem + "2", "10.1.2.6/24");

    Masquerade.remove(net, owner(stem + "1"));

    Masquerade.verify(net, owner(stem + "2"), addresses("10.1.2.6/24"));
    assertThat(elements(host)).noneMatch(line -> line.contains("10.1.2.5"));
  }

  @Test
  void gcKeepsTheValidAndOtherNetworks() {
    install("a", "10.1.2.5/24");
    install("b", "10.1.2.6/24", "fd00::6/64");
    AttachmentOwner elsewhere =
        new AttachmentOwner(
            new NetworkName("mynet2"), new ContainerId("b"), new InterfaceName("eth0"));
    Masquerade.install(net, elsewhere, addresses("10.2.2.6/24"));

    Masquerade.collect(
        net, NETWORK, Set.of(new Attachment("a", "eth0"), new Attachment("b", "eth1")));

    Masquerade.verify(net, owner("a"), addresses("10.1.2.5/24"));
    Masquerade.verify(net, elsewhere, addresses("10.2.2.6/24"));
    assertThatThrownBy(() -> Masquerade.verify(net, owner("b"), addresses("10.1.2.6/24")))
        .isInstanceOf(CniException.class)
        .hasMessageContaining("address 10.1.2.6/24 of mynet/b/eth0 is not masqueraded");

    Masquerade.collect(net, NETWORK, Set.of());
    Masquerade.verify(net, elsewhere, addresses("10.2.2.6/24"));
    assertThatThrownBy(() -> Masquerade.verify(net, owner("a"), addresses("10.1.2.5/24")))
        .isInstanceOf(CniException.class);
  }

  @Test
  void rulesSomebodyRemovedComeBackWithGcOrTheNextInstallation(Host host) {
    install("ctr1", "10.1.2.5/24");
    host.exec("nft", "flush", "table", "inet", "ocicat_masquerade");
    assertThatThrownBy(() -> Masquerade.verify(net, owner("ctr1"), addresses("10.1.2.5/24")))
        .hasMessageContaining("@sources4 goto leaving4\" is missing");
    Masquerade.collect(net, NETWORK, Set.of(new Attachment("ctr1", "eth0")));
    Masquerade.verify(net, owner("ctr1"), addresses("10.1.2.5/24"));

    host.exec("nft", "delete", "table", "inet", "ocicat_masquerade");
    install("ctr1", "10.1.2.5/24");
    Masquerade.verify(net, owner("ctr1"), addresses("10.1.2.5/24"));
  }

  @Test
  void rulesOfNewerGoPluginsAreRemovedByOwner(Host host) {
    goRules(host);
    Masquerade.verify(net, owner("one"), addresses("10.1.2.5/24"));

    Masquerade.remove(net, owner("one"));

    assertThat(goComments(host)).hasSize(2).noneMatch(comment -> comment.contains("id: one"));
    Masquerade.collect(net, NETWORK, Set.of(new Attachment("two", "eth0")));
    assertThat(goComments(host)).hasSize(2);
    Masquerade.collect(net, NETWORK, Set.of());
    assertThat(goComments(host)).hasSize(1).allMatch(comment -> comment.contains("net: other"));
  }

  /** As in versions from 1.6 on, which Debian does not have. */
  private static void goRules(Host host) {
    host.command("nft", "-f", "-")
        .stdin(
            """
            table inet cni_plugins_masquerade {
              chain masq_checks {
                ip saddr 10.1.2.5 ip daddr != 10.1.2.0/24 masquerade comment "%1$s-%2$s, net: mynet, if: eth0, id: one"
                ip saddr 10.1.2.6 ip daddr != 10.1.2.0/24 masquerade comment "%1$s-%3$s, net: mynet, if: eth0, id: two"
                ip saddr 10.2.2.6 ip daddr != 10.1.2.0/24 masquerade comment "%4$s-%3$s, net: other, if: eth0, id: two"
              }
            }
            """
                .formatted(hash("mynet"), "287fc69eff0574a2", hash("eth0:two"), hash("other")))
        .run();
  }

  private static String hash(String text) {
    return io.ocicat.plugins.net.NamingHash.of(text, 16);
  }

  private static List<String> goComments(Host host) {
    return host.exec("nft", "list", "chain", "inet", "cni_plugins_masquerade", "masq_checks")
        .stdout()
        .lines()
        .filter(line -> line.contains("comment"))
        .toList();
  }

  /** Half of them compete for the same addresses. */
  @Test
  void manyAtOnceGetAlong(Host host) throws InterruptedException, ExecutionException {
    all(
        i -> {
          String shared = "10.7.0.%d/24".formatted(i % 5);
          String own = "10.1.%d.2/24".formatted(i);
          try (NetnsSockets mine = NetnsSockets.of(host.path())) {
            Masquerade.install(
                mine,
                owner("ctr" + i),
                i % 2 == 0 ? addresses(own, "fd00::%x/64".formatted(i)) : addresses(own, shared));
          }
        });
    for (int i = 0; i < MANY; i++) {
      Masquerade.verify(net, owner("ctr" + i), addresses("10.1.%d.2/24".formatted(i)));
    }
    assertThat(elements(host).stream().filter(line -> line.contains("10.7.0."))).isNotEmpty();

    all(
        i -> {
          try (NetnsSockets mine = NetnsSockets.of(host.path())) {
            Masquerade.remove(mine, owner("ctr" + i));
          }
        });
    assertThat(elements(host)).isEmpty();
  }

  private interface Each {
    void run(int number);
  }

  private static void all(Each each) throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newFixedThreadPool(MANY)) {
      List<? extends Future<?>> running =
          IntStream.range(0, MANY).mapToObj(i -> threads.submit(() -> each.run(i))).toList();
      for (Future<?> one : running) {
        one.get();
      }
    }
  }

  private void install(String id, String... texts) {
    Masquerade.install(net, owner(id), addresses(texts));
  }

  private static AttachmentOwner owner(String id) {
    return new AttachmentOwner(NETWORK, new ContainerId(id), new InterfaceName("eth0"));
  }

  private static List<IpPrefix> addresses(String... texts) {
    return Arrays.stream(texts).map(IpPrefix::parse).toList();
  }

  /** Lines that list an element. */
  private static List<String> elements(Host host) {
    return host.exec("nft", "list", "table", "inet", "ocicat_masquerade")
        .stdout()
        .lines()
        .skip(2)
        .filter(line -> line.contains("comment"))
        .toList();
  }
}
