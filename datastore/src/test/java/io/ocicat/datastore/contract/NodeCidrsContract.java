package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.cluster.ClusterCidr;
import io.ocicat.datastore.cluster.NodeCidrs;
import io.ocicat.datastore.cluster.NodeCidrs.Allocated;
import io.ocicat.datastore.cluster.NodeCidrs.Exhausted;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.passing.MortalStore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ArrayNode;

/** How nodes get their ranges of pods' addresses, on every key-value store. */
public abstract class NodeCidrsContract extends KeyValueStoreFixture {
  private static final String LEDGER = "/ocicat/v1/podcidrs";
  private static final ClusterCidr V4 = range("10.244.0.0/16", 24);
  private static final ClusterCidr V6 = range("fd00:10::/48", 64);
  private static final int HOSTS = 50;

  private static ClusterCidr range(String network, int length) {
    return new ClusterCidr(IpPrefix.parse(network), length);
  }

  private KeyValueDatastore datastore() {
    return new KeyValueDatastore(store());
  }

  private NodeCidrs cidrs() {
    return datastore().cluster().nodeCidrs().orElseThrow();
  }

  private void register(String... names) {
    for (String name : names) {
      datastore().create(Resource.of(new ResourceKey.Named(Kind.NODE, "", name), _ -> {}));
    }
  }

  private void write(String name, String... podCidrs) {
    Resource read = datastore().get(ResourceKey.of(Kind.NODE, name));
    datastore()
        .update(
            read.edit(
                document -> {
                  ArrayNode list = document.withObject("/status").putArray("podCIDRs");
                  List.of(podCidrs).forEach(list::add);
                }));
  }

  private List<String> given(String name) {
    return datastore().cluster().node(name).orElseThrow().podCidrs();
  }

  private List<String> ensure(String name, ClusterCidr... ranges) {
    return ((Allocated) cidrs().ensure(name, List.of(ranges)))
        .cidrs().stream().map(IpPrefix::toString).toList();
  }

  @Test
  void nodesGetTheFirstFreePartOfEachRangeAndKeepIt() {
    register("a", "b", "c");

    assertThat(ensure("a", V4, V6)).containsExactly("10.244.0.0/24", "fd00:10::/64");
    assertThat(ensure("b", V4, V6)).containsExactly("10.244.1.0/24", "fd00:10:0:1::/64");
    long revision = store().range(RangeQuery.all("/")).revision();
    assertThat(ensure("a", V4, V6)).containsExactly("10.244.0.0/24", "fd00:10::/64");
    assertThat(store().range(RangeQuery.all("/")).revision())
        .as("nothing was written")
        .isEqualTo(revision);
    assertThat(given("b")).containsExactly("10.244.1.0/24", "fd00:10:0:1::/64");
    assertThat(given("c")).isEmpty();
  }

  @Test
  void aPartIsFreeAgainOnceItsNodeIsDeleted() {
    register("a", "b", "c");
    ensure("a", V4);
    ensure("b", V4);
    datastore().delete(ResourceKey.of(Kind.NODE, "a"), null);

    assertThat(ensure("c", V4)).containsExactly("10.244.0.0/24");
    register("a");
    assertThat(ensure("a", V4))
        .as("the same name, but the part is used")
        .containsExactly("10.244.2.0/24");
  }

  @Test
  void aFamilyThatIsAddedLaterIsAddedToTheNode() {
    register("a");
    ensure("a", V4);

    assertThat(ensure("a", V4, V6)).containsExactly("10.244.0.0/24", "fd00:10::/64");
  }

  @Test
  void whatAUserWroteIsKeptAndCountsAsUsed() {
    register("a", "b", "c");
    write("b", "10.244.0.128/25");
    write("c", "192.0.2.0/24");

    assertThat(ensure("a", V4)).containsExactly("10.244.1.0/24");
    assertThat(ensure("b", V4)).containsExactly("10.244.0.128/25");
    assertThat(ensure("c", V4)).containsExactly("192.0.2.0/24");
  }

  @Test
  void anOverlapThatAUserWroteIsNamed() {
    register("a", "b");
    ensure("a", V4);
    write("b", "10.244.0.0/20");

    assertThat(cidrs().ensure("a", List.of(V4)))
        .isInstanceOfSatisfying(
            Allocated.class,
            allocated ->
                assertThat(allocated.overlapping())
                    .containsEntry(IpPrefix.parse("10.244.0.0/24"), "b"));
  }

  @Test
  void aNodeWhoseStatusWasLostGetsTheSamePartAgain() {
    register("a", "b", "c");
    ensure("a", V4);
    ensure("b", V4);
    write("a");
    write("b");

    assertThat(ensure("c", V4)).as("neither is free").containsExactly("10.244.2.0/24");
    assertThat(ensure("b", V4)).containsExactly("10.244.1.0/24");
    assertThat(ensure("a", V4)).containsExactly("10.244.0.0/24");
  }

  @Test
  void partsOfAnotherSizeDoNotOverlap() {
    register("a", "b", "c", "d");
    ensure("a", V4);

    assertThat(ensure("b", range("10.244.0.0/16", 26))).containsExactly("10.244.1.0/26");
    assertThat(ensure("c", range("10.244.0.0/16", 20))).containsExactly("10.244.16.0/20");
    assertThat(ensure("d", V4)).containsExactly("10.244.2.0/24");
  }

  @Test
  void aRangeWithoutAFreePartIsNamedAndNothingIsWritten() {
    ClusterCidr small = range("10.244.0.0/30", 31);
    register("a", "b", "c");
    ensure("a", small);
    ensure("b", small);

    assertThat(cidrs().ensure("c", List.of(V6, small))).isEqualTo(new Exhausted(small, 2));
    assertThat(given("c")).isEmpty();
  }

  @Test
  void aNodeThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> cidrs().ensure("a", List.of(V4)))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("Node a");
  }

  @Test
  void whatIsNotANetworkIsReportedAndStays() {
    register("a");
    write("a", "10.244.0.0/99");

    assertThatThrownBy(() -> cidrs().ensure("a", List.of(V4)))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("status.podCIDRs of Node a has \"10.244.0.0/99\"");
    assertThat(given("a")).containsExactly("10.244.0.0/99");
  }

  @Test
  void aDamagedLedgerIsReportedAndMadeAgainOnceItIsDeleted() {
    register("a", "b");
    ensure("a", V4);
    store().commit(Transaction.put(LEDGER, "{\"nodes\":{\"a\":[\"x\"]}}"));

    assertThatThrownBy(() -> cidrs().ensure("b", List.of(V4)))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining(LEDGER)
        .hasMessageContaining("delete the key");
    store().commit(Transaction.delete(LEDGER));
    assertThat(ensure("b", V4)).containsExactly("10.244.1.0/24");
  }

  /**
   * Fifty hosts start at once on a range with 32 parts. Many are killed: before or after one of
   * their operations. Then the survivors and the restarted hosts start again, all at once.
   */
  @Test
  void noPartIsEverGivenTwiceWhoeverIsKilled() {
    Seeded.forAll(1, this::startAtOnce);
  }

  private void startAtOnce(Random random) throws Exception {
    ClusterCidr v4 = range("10.0.0.0/19", 24);
    ClusterCidr v6 = range("fd00::/48", 64);
    ClusterCidr wide = range("10.0.32.0/20", 24);
    List<ClusterCidr> ranges = List.of(v4, v6);
    List<String> names = IntStream.range(0, HOSTS).mapToObj(i -> "host-" + i).toList();
    register(names.toArray(String[]::new));

    List<Optional<NodeCidrs.Allocation>> first =
        atOnce(
            names,
            name -> {
              int operation = random.nextInt(12);
              boolean before = random.nextBoolean();
              return () ->
                  ensureOn(
                      new KeyValueDatastore(new MortalStore(store(), operation, before)),
                      name,
                      ranges);
            });
    checkUnique(names, ranges);
    assertThat(first.stream().flatMap(Optional::stream)).as("some survive").isNotEmpty();

    List<Optional<NodeCidrs.Allocation>> second =
        atOnce(names, name -> () -> ensureOn(datastore(), name, ranges));
    checkUnique(names, ranges);
    long given =
        second.stream().flatMap(Optional::stream).filter(Allocated.class::isInstance).count();
    assertThat(given).as("each of the 32 parts is given").isEqualTo(v4.parts().intValueExact());
    assertThat(second.stream().flatMap(Optional::stream).filter(Exhausted.class::isInstance))
        .hasSize(HOSTS - v4.parts().intValueExact())
        .allMatch(new Exhausted(v4, v4.parts().intValueExact())::equals);

    // A second range for the others, while hosts leave at the same time.
    List<String> left = names.stream().filter(name -> given(name).isEmpty()).toList();
    List<String> leaving = names.stream().filter(name -> !left.contains(name)).limit(8).toList();
    List<String> all = new ArrayList<>(left);
    all.addAll(leaving);
    atOnce(
        all,
        name ->
            leaving.contains(name)
                ? () -> {
                  datastore().delete(ResourceKey.of(Kind.NODE, name), null);
                  return Optional.empty();
                }
                : () -> ensureOn(datastore(), name, List.of(wide, v6)));
    List<String> present = names.stream().filter(name -> !leaving.contains(name)).toList();
    checkUnique(present, List.of(v4, wide, v6));
    names.stream()
        .filter(present::contains)
        .forEach(name -> datastore().delete(ResourceKey.of(Kind.NODE, name), null));
  }

  private static Optional<NodeCidrs.Allocation> ensureOn(
      KeyValueDatastore datastore, String name, List<ClusterCidr> ranges) {
    try {
      return Optional.of(datastore.cluster().nodeCidrs().orElseThrow().ensure(name, ranges));
    } catch (MortalStore.Killed _) {
      return Optional.empty();
    }
  }

  /** Something that each host does. */
  @FunctionalInterface
  private interface Work {
    Callable<Optional<NodeCidrs.Allocation>> of(String name);
  }

  private static List<Optional<NodeCidrs.Allocation>> atOnce(List<String> names, Work work)
      throws Exception {
    CyclicBarrier start = new CyclicBarrier(names.size());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<NodeCidrs.Allocation>>> running = new ArrayList<>();
      for (String name : names) {
        Callable<Optional<NodeCidrs.Allocation>> own = work.of(name);
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  return own.call();
                }));
      }
      List<Optional<NodeCidrs.Allocation>> results = new ArrayList<>();
      for (Future<Optional<NodeCidrs.Allocation>> one : running) {
        results.add(one.get());
      }
      return results;
    }
  }

  /** Every node has all families or none, of the right size, and no two overlap. */
  private void checkUnique(List<String> names, List<ClusterCidr> ranges) {
    List<IpPrefix> all = new ArrayList<>();
    for (Resource node : datastore().list(ResourceQuery.of(Kind.NODE)).items()) {
      List<IpPrefix> own = given(node.key().name()).stream().map(IpPrefix::parse).toList();
      assertThat(own.size()).as(node.describe()).isIn(0, 2);
      own.forEach(
          cidr ->
              assertThat(ranges)
                  .as("%s of %s", cidr, node)
                  .anyMatch(
                      range ->
                          range.range().contains(cidr) && range.nodeLength() == cidr.length()));
      all.addAll(own);
    }
    assertThat(IpPrefix.withoutNested(all)).as("of %s", names).hasSameSizeAs(all);
  }
}
