package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.passing.MortalStore;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.testkit.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases as keys, on every store that can keep them. */
abstract class KeyLeaseSuite {
  private static final String PREFIX = "/coreos.com/network";

  @TempDir Path folder;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-03-01T00:00:00Z"));

  abstract KeyValueStore store();

  @AfterEach
  void closeNodes() {
    nodes.forEach(node -> node.registry.close());
  }

  /** A node that keeps its lease here. */
  private final class Node {
    final LeaseAttributes attributes;
    final KeyLeaseRegistry registry;

    Node(LeaseAttributes attributes, KeyValueStore store) {
      this.attributes = attributes;
      this.registry =
          new KeyLeaseRegistry(
              store,
              FlannelSettings.of(
                  Map.of(
                      "FLANNELD_NET_CONFIG_PATH",
                      folder.resolve("net-conf.json").toString(),
                      "FLANNELD_SUBNET_LEASE_RENEW_MARGIN",
                      "60")),
              now::get,
              new Random(attributes.hashCode()),
              log::add,
              () -> {});
      nodes.add(this);
    }

    SubnetLease ensure(String previous) {
      Eventually.await("the keys are read", registry::isKnown);
      return registry.ensure(registry.configuration(), attributes, LeaseSubnets.parse(previous));
    }

    SubnetLease ensure() {
      return ensure("");
    }

    /** Until the copy of the keys leads to this. */
    void awaitLease(String what, Predicate<SubnetLease> condition) {
      Eventually.await(
          what,
          () -> {
            try {
              return condition.test(ensure());
            } catch (FlannelException _) {
              return false;
            }
          });
    }
  }

  private static LeaseAttributes attributes(int number) {
    return new LeaseAttributes(
        IpAddress.ofV4(0xc0000200 + number),
        null,
        "vxlan",
        new VtepData(1, new MacAddress(0x020000000000L + number)),
        null);
  }

  private Node node(int number) {
    return new Node(attributes(number), store());
  }

  private void configure(String conf) {
    store().commit(Transaction.put(PREFIX + "/config", conf.replace('\'', '"')));
  }

  private KeyValue key(SubnetLease lease) {
    return store().get(PREFIX + "/subnets/" + lease.name()).orElseThrow();
  }

  @Test
  void aLeaseIsInTheRangeAndReusedByThePublicAddress() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    SubnetLease first = node(1).ensure();

    assertThat(IpPrefix.parse("10.3.0.0/16").contains(first.subnets().all().getFirst())).isTrue();
    assertThat(first.subnets().all().getFirst().length()).isEqualTo(24);
    assertThat(first.name()).isNotEqualTo("10.3.0.0-24");
    KeyValue key = key(first);
    assertThat(key.value()).isEqualTo(attributes(1).json());
    assertThat(key.lease()).isNotZero();

    Node again = node(1);
    assertThat(again.ensure().name()).isEqualTo(first.name());
    assertThat(key(first).lease()).as("a lease of its own").isNotEqualTo(key.lease());
    assertThat(again.registry.published(attributes(1))).contains(attributes(1));
    assertThat(node(2).ensure().subnets().overlaps(first.subnets())).isFalse();
  }

  @Test
  void thePreviousSubnetIsPreferredIfItIsFreeAndFits() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");

    assertThat(node(1).ensure("10.3.77.0-24").name()).isEqualTo("10.3.77.0-24");
    assertThat(node(2).ensure("10.3.77.0-24").name()).isNotEqualTo("10.3.77.0-24");
    assertThat(node(3).ensure("10.4.77.0-24").name()).startsWith("10.3.");
    assertThat(node(4).ensure("10.3.78.0-25").name()).endsWith("-24");
  }

  @Test
  void anotherConfigurationMakesAnotherLeaseNecessary() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    Node node = node(1);
    SubnetLease before = node.ensure();
    configure("{'Network':'10.4.0.0/16','Backend':{'Type':'vxlan'}}");
    node.awaitLease("another lease", lease -> lease.name().startsWith("10.4."));

    assertThat(store().get(PREFIX + "/subnets/" + before.name())).isEmpty();
    configure("{'Network':'10.5.0.0/16','Backend':{'Type':'vxlan'}}");
    assertThat(node(1).ensure().name()).startsWith("10.5.");
  }

  @Test
  void aReservationStaysOne() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    store()
        .commit(Transaction.put(PREFIX + "/subnets/10.3.200.0-24", "{\"PublicIP\":\"192.0.2.1\"}"));
    Node node = node(1);
    SubnetLease lease = node.ensure();

    assertThat(lease.name()).isEqualTo("10.3.200.0-24");
    assertThat(lease.reserved()).isTrue();
    assertThat(key(lease).lease()).isZero();
    assertThat(key(lease).value()).isEqualTo(attributes(1).json());
    assertThat(node.registry.renewal()).isEmpty();

    Node second = node(2);
    SubnetLease leased = second.ensure();
    assertThat(second.registry.renewal()).isPresent();
    store().commit(Transaction.put(PREFIX + "/subnets/" + leased.name(), attributes(2).json()));
    second.awaitLease("reserved from now on", _ -> second.registry.renewal().isEmpty());
    assertThat(key(leased).lease()).isZero();
  }

  @Test
  void aLeaseIsRenewedBeforeItsEnd() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    Node node = node(1);
    SubnetLease lease = node.ensure();
    Instant due = now.get().plus(Duration.ofHours(23));
    assertThat(node.registry.renewal()).contains(due);
    node.registry.renew();
    assertThat(node.registry.renewal()).as("not yet").contains(due);

    now.set(due);
    KeyValue before = key(lease);
    node.registry.renew();
    assertThat(node.registry.renewal()).contains(due.plus(Duration.ofHours(23)));
    assertThat(key(lease)).as("without a write").isEqualTo(before);

    // Whoever ends the lease takes the key with it.
    store().revokeLease(before.lease());
    now.set(due.plus(Duration.ofHours(23)));
    assertThatThrownBy(node.registry::renew)
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("has ended: acquiring it again");
    assertThat(node.ensure().name()).as("the same again").isEqualTo(lease.name());
    assertThat(key(lease).value()).isEqualTo(attributes(1).json());
  }

  @Test
  void aDeletedLeaseIsAcquiredAgain() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    Node node = node(1);
    SubnetLease lease = node.ensure("10.3.9.0-24");
    store().commit(Transaction.delete(PREFIX + "/subnets/" + lease.name()));
    Eventually.await(
        "the lease is back",
        () -> {
          node.ensure();
          return store().get(PREFIX + "/subnets/10.3.9.0-24").isPresent();
        });

    assertThat(log).anyMatch(line -> line.contains("10.3.9.0/24 of 192.0.2.1 was deleted"));
  }

  @Test
  void aStolenLeaseIsPutBack() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    Node node = node(1);
    SubnetLease lease = node.ensure();
    store().commit(Transaction.put(PREFIX + "/subnets/" + lease.name(), attributes(9).json()));
    node.awaitLease("restored", _ -> key(lease).value().equals(attributes(1).json()));

    assertThat(key(lease).lease()).isNotZero();
    assertThat(log).anyMatch(line -> line.contains("was overwritten by somebody else"));
  }

  @Test
  void aLeaseThatEndedIsNotTakenFromTheNodeThatHasItNow() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    Node node = node(1);
    SubnetLease lease = node.ensure();
    String key = PREFIX + "/subnets/" + lease.name();
    long other = store().grantLease(Duration.ofHours(24));
    store().commit(Transaction.delete(key));
    store()
        .commit(
            new Transaction(List.of(), List.of(new Change.Put(key, attributes(9).json(), other))));
    node.awaitLease("another", it -> !it.name().equals(lease.name()));

    assertThat(key(lease).value()).isEqualTo(attributes(9).json());
  }

  @Test
  void theNewerOfTwoOverlappingLeasesIsGivenUp() {
    configure("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan'}}");
    Node node = node(1);
    // Written by a flanneld that did not see ours: the network had other lengths then.
    store()
        .commit(
            new Transaction(
                List.of(),
                List.of(
                    new Change.Put(
                        PREFIX + "/subnets/10.3.32.0-20",
                        attributes(9).json(),
                        store().grantLease(Duration.ofHours(24))))));
    SubnetLease first = node.ensure("10.3.33.0-24");
    assertThat(first.name()).as("overlaps").isNotEqualTo("10.3.33.0-24");

    store().commit(Transaction.put(PREFIX + "/subnets/10.3.34.0-24", attributes(5).json()));
    Node fifth = node(5);
    assertThat(fifth.ensure().name()).isEqualTo("10.3.34.0-24");
    fifth.awaitLease("another", lease -> !lease.name().equals("10.3.34.0-24"));
    assertThat(store().get(PREFIX + "/subnets/10.3.34.0-24")).isEmpty();
    assertThat(log).anyMatch(line -> line.contains("which is older: giving it up"));
  }

  @Test
  void withIpv6AloneEachNodeHasItsOwnSubnet() {
    configure(
        "{'EnableIPv4':false,'EnableIPv6':true,'IPv6Network':'fd00:3::/48','Backend':{'Type':'host-gw'}}");
    LeaseAttributes one =
        new LeaseAttributes(null, IpAddress.parse("2001:db8::1"), "host-gw", null, null);
    LeaseAttributes two =
        new LeaseAttributes(null, IpAddress.parse("2001:db8::2"), "host-gw", null, null);
    SubnetLease first = new Node(one, store()).ensure();
    SubnetLease second = new Node(two, store()).ensure();

    assertThat(first.name()).matches("0\\.0\\.0\\.0-0&fd00:3:0:[0-9a-f]+::-64");
    assertThat(first.subnets().overlaps(second.subnets())).isFalse();
    assertThat(new Node(one, store()).ensure().name()).isEqualTo(first.name());
  }

  @Test
  void aFileConfiguresTheClusterOnce() throws Exception {
    Node node = node(1);
    assertThatThrownBy(node::ensure)
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("put its configuration under the key " + PREFIX + "/config");
    String text = "{\"Network\": \"10.9.0.0/16\", \"Backend\": {\"Type\": \"vxlan\"}}\n";
    Files.writeString(folder.resolve("net-conf.json"), text);
    assertThat(node.ensure().name()).startsWith("10.9.");
    assertThat(store().get(PREFIX + "/config").orElseThrow().value()).isEqualTo(text);

    Files.writeString(folder.resolve("net-conf.json"), text.replace("10.9", "10.8"));
    assertThat(node(2).ensure().name()).as("the first one counts").startsWith("10.9.");
  }

  @Test
  void unreadableKeysAreNamedAndTheirSubnetsAreNotUsed() {
    configure(
        "{'Network':'10.3.0.0/16','SubnetMin':'10.3.8.0','SubnetMax':'10.3.9.0','Backend':{'Type':'vxlan'}}");
    store().commit(Transaction.put(PREFIX + "/subnets/rubbish", "{}"));
    store().commit(Transaction.put(PREFIX + "/subnets/10.3.8.0-24", "rubbish"));
    Node node = node(1);

    assertThat(node.ensure().name()).isEqualTo("10.3.9.0-24");
    assertThat(node.registry.unreadable()).hasSize(2);
    assertThat(node.registry.others()).hasSize(1);
    assertThatThrownBy(node(2)::ensure)
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("no IPv4 subnet is free in 10.3.8.0–10.3.9.0/24, 2 are leased");
    store().commit(Transaction.delete(PREFIX + "/subnets/10.3.8.0-24"));
    assertThat(node(2).ensure().name()).as("and again").isEqualTo("10.3.8.0-24");
  }

  @Test
  void fiftyNodesThatStartAtOnceHaveSubnetsOfTheirOwn() throws Exception {
    // 63 subnets of IPv4, 63 of IPv6, in pairs: any two nodes may choose one of either.
    configure(
        "{'EnableIPv6':true,'Network':'10.3.0.0/24','SubnetLen':30,'IPv6Network':'fd00:3::/58',"
            + "'IPv6SubnetLen':64,'Backend':{'Type':'vxlan'}}");
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    Random random = new Random(7);
    for (int number = 1; number <= 50; number++) {
      int seed = random.nextInt();
      LeaseAttributes attributes = dual(number);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      acquireThroughKills(attributes, new Random(seed));
                    } catch (Throwable e) {
                      failures.add(e);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(failures).isEmpty();
    LeaseKeys names = new LeaseKeys(PREFIX);
    List<SubnetLease> leases =
        store().range(RangeQuery.all(names.subnets())).entries().stream()
            .map(entry -> names.lease(entry).orElseThrow())
            .toList();
    assertThat(leases).hasSize(50);
    for (SubnetLease one : leases) {
      assertThat(leases)
          .filteredOn(other -> other.subnets().overlaps(one.subnets()))
          .containsExactly(one);
    }
  }

  private static LeaseAttributes dual(int number) {
    VtepData vtep = new VtepData(1, new MacAddress(0x020000000000L + number));
    return new LeaseAttributes(
        IpAddress.ofV4(0xc0000200 + number),
        IpAddress.ofV6(0x20010db800000000L, number),
        "vxlan",
        vtep,
        vtep);
  }

  /** Starts again whenever the store ends the "process", before or after it has done its work. */
  private void acquireThroughKills(LeaseAttributes attributes, Random random) {
    NetConf conf = NetConf.read("a test", store().get(PREFIX + "/config").orElseThrow().value());
    for (int kills = 0; true; kills++) {
      KeyValueStore store =
          kills < 2 ? new MortalStore(store(), random.nextInt(6), random.nextBoolean()) : store();
      try {
        new LeaseAllocation(store, new LeaseKeys(PREFIX), random, log::add)
            .acquire(conf, attributes, Optional.empty(), Duration.ofHours(24));
        return;
      } catch (MortalStore.Killed _) {
        // The next start.
      }
    }
  }
}
