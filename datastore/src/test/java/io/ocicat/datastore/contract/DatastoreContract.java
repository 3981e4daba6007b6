package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The contract of every datastore engine. */
public abstract class DatastoreContract extends DatastoreFixture {
  private static final ResourceKey BLUE = ResourceKey.of(Kind.IP_POOL, "blue");

  /** Documents of every kind that all engines store; what others refer to comes first. */
  private static final List<String> GOLDEN =
      List.of(
          "tier",
          "bgpfilter",
          "bgppeer",
          "bgpconfiguration",
          "felixconfiguration",
          "kubecontrollersconfiguration",
          "globalnetworkpolicy",
          "networkpolicy",
          "stagedglobalnetworkpolicy",
          "stagednetworkpolicy",
          "stagedkubernetesnetworkpolicy",
          "globalnetworkset",
          "networkset",
          "hostendpoint",
          "ipreservation",
          "ippool",
          "ippool-v6",
          "ippool-loadbalancer",
          "caliconodestatus",
          "clusterinformation",
          "ipamconfiguration",
          "ipamblock",
          "ipamblock-v6",
          "blockaffinity",
          "blockaffinity-virtual",
          "ipamhandle",
          "ipamconfig",
          "profile",
          "node",
          "namespace",
          "kubernetesnetworkpolicy",
          "clusternetworkpolicy",
          "endpointslice",
          "workloadendpoint-k8s",
          "workloadendpoint-cni",
          "ipamhost");

  @Test
  void whatIsCreatedIsReadByEveryDoor() {
    Resource created = datastore().create(pool("blue", "10.65.0.0/16"));

    assertThat(created.revision()).isNotEmpty();
    assertThat(created.text("metadata", "uid")).isPresent();
    assertThat(created.text("metadata", "creationTimestamp")).isPresent();
    assertThat(created.text("spec", "nodeSelector")).contains("all()");
    assertThat(another().get(BLUE)).isEqualTo(created);
  }

  /** Whether others keep such resources, so that none is created here. */
  protected boolean isKeptByOthers(Kind kind) {
    return false;
  }

  /** What calicoctl and Calico's IPAM wrote is read from every engine byte for byte. */
  @Test
  void everyKindIsReadAsItWasWritten() throws IOException {
    Set<Kind> tried = EnumSet.noneOf(Kind.class);
    for (String name : GOLDEN) {
      Resource golden = golden(name);
      tried.add(golden.kind());
      if (!isKeptByOthers(golden.kind())) {
        roundTrip(name, golden);
      }
    }
    assertThat(tried).containsExactlyInAnyOrder(Kind.values());
  }

  private void roundTrip(String name, Resource golden) {
    String written = content(golden);

    Resource created = datastore().create(golden);

    Resource read = another().get(golden.key());
    assertThat(read).isEqualTo(created);
    assertThat(content(read)).as(name).isEqualTo(written);
    Resource updated =
        datastore()
            .update(
                golden.kind().isIpam()
                    ? read
                    : read.edit(d -> d.withObject("metadata").withObject("labels").put("a", "b")));
    assertThat(content(updated)).as(name).isEqualTo(written);
    if (golden.kind() != Kind.IPAM_CONFIG && golden.kind() != Kind.IPAM_HOST) {
      assertThat(datastore().list(ResourceQuery.of(golden.kind())).items()).contains(updated);
    }
    if (golden.kind() == Kind.IPAM_CONFIGURATION) {
      // In the API it has the place of IPAM's own record.
      datastore().delete(updated);
    }
  }

  private static String content(Resource resource) {
    ObjectNode content = resource.content();
    if (resource.kind() == Kind.ENDPOINT_SLICE) {
      content.remove("metadata");
      return StoredJson.compact(content);
    }
    ObjectNode shown = resource.kind().isIpam() ? content : content.withObject("spec");
    if (shown.get("somethingNew") instanceof ObjectNode unknown) {
      // What nobody knows has no order: an API server sorts it.
      Map<String, JsonNode> sorted = new TreeMap<>();
      unknown.properties().forEach(member -> sorted.put(member.getKey(), member.getValue()));
      shown.set("somethingNew", Json.object().setAll(sorted));
    }
    return StoredJson.compact(shown);
  }

  private static Resource golden(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            DatastoreContract.class.getResourceAsStream(
                "/io/ocicat/datastore/model/golden/" + name))) {
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      ResourceKey key = CalicoLayout.parse(lines.get(0)).orElseThrow();
      Resource golden =
          CalicoLayout.decode(key, new KeyValue(lines.get(0), lines.get(1), 7, 7, 0))
              .withRevision("");
      if (golden.kind().isIpam()) {
        return golden;
      }
      return golden.edit(
          document -> {
            ObjectNode metadata = document.withObject("metadata");
            metadata.remove("uid");
            metadata.remove("creationTimestamp");
          });
    }
  }

  @Test
  void createIsRefusedWhenItExists() {
    Resource first = datastore().create(pool("blue", "10.65.0.0/16"));

    assertThatThrownBy(() -> another().create(pool("blue", "10.65.0.0/16")))
        .isInstanceOf(ExistsException.class)
        .hasMessageContaining("IPPool blue");
    assertThat(datastore().get(BLUE)).isEqualTo(first);
  }

  @Test
  void whatIsNotThereIsNotFound() {
    assertThatThrownBy(() -> datastore().get(BLUE))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("IPPool blue");
    assertThatThrownBy(() -> datastore().delete(BLUE, null)).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> datastore().get(new ResourceKey.Handle("none")))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void updateReplacesWhatWasRead() {
    Resource created = datastore().create(pool("blue", "10.65.0.0/16"));

    Resource updated = datastore().update(created.edit(d -> spec(d).put("natOutgoing", true)));

    assertThat(updated.revision()).isNotEqualTo(created.revision());
    assertThat(another().get(BLUE)).isEqualTo(updated);
    assertThat(updated.text("metadata", "uid")).isEqualTo(created.text("metadata", "uid"));
    assertThat(updated.content().at("/spec/natOutgoing").booleanValue()).isTrue();
  }

  @Test
  void updateOfWhatHasChangedIsAConflict() {
    Resource read = datastore().create(networkSet("shop", "web", "10.0.0.0/8"));
    Resource faster = another().update(read.edit(d -> spec(d).putArray("nets")));

    assertThatThrownBy(() -> datastore().update(read.edit(d -> spec(d).putArray("nets"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("NetworkSet shop/web");
    assertThat(datastore().get(read.key())).isEqualTo(faster);
  }

  @Test
  void updateOfWhatIsGoneIsNotFound() {
    Resource read = datastore().create(networkSet("shop", "web", "10.0.0.0/8"));
    datastore().delete(read);

    assertThatThrownBy(() -> datastore().update(read)).isInstanceOf(NotFoundException.class);
  }

  @Test
  void updateNeedsARevisionAndCreateMustNotHaveOne() {
    Resource created = datastore().create(networkSet("shop", "web", "10.0.0.0/8"));

    assertThatThrownBy(() -> datastore().update(created.withRevision("")))
        .isInstanceOf(InvalidException.class);
    assertThatThrownBy(() -> datastore().create(created)).isInstanceOf(InvalidException.class);
  }

  @Test
  void deleteRemovesWhatWasReadAndNothingElse() {
    Resource read = datastore().create(networkSet("shop", "web", "10.0.0.0/8"));
    Resource changed = datastore().update(read.edit(d -> spec(d).putArray("nets")));

    assertThatThrownBy(() -> datastore().delete(read)).isInstanceOf(ConflictException.class);
    assertThat(datastore().delete(changed)).isEqualTo(changed);
    assertThatThrownBy(() -> datastore().delete(changed)).isInstanceOf(NotFoundException.class);
  }

  @Test
  void deleteWithoutARevisionRemovesWhateverThereIs() {
    Resource created = datastore().create(networkSet("shop", "web", "10.0.0.0/8"));

    assertThat(datastore().delete(created.key(), null).key()).isEqualTo(created.key());
    assertThatThrownBy(() -> datastore().get(created.key())).isInstanceOf(NotFoundException.class);
  }

  @Test
  void unknownMembersSurviveARewrite() {
    Resource strange =
        datastore()
            .create(
                networkSet("shop", "web", "10.0.0.0/8")
                    .edit(d -> spec(d).put("fromTheFuture", 1767225600000000001L)));

    Resource rewritten =
        datastore().update(datastore().get(strange.key()).edit(d -> spec(d).putArray("nets")));

    assertThat(another().get(strange.key())).isEqualTo(rewritten);
    assertThat(rewritten.content().at("/spec/fromTheFuture").longValue())
        .isEqualTo(1767225600000000001L);
  }

  @Test
  void allProblemsAreReportedAndNothingIsWritten() {
    Resource bad =
        pool("blue", "10.65.0.0/33")
            .edit(d -> spec(d).put("nodeSelector", "rack = 1").put("ipipMode", "Sometimes"));

    assertThatThrownBy(() -> datastore().create(bad))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("IPPool blue")
        .hasMessageContaining("spec.cidr \"10.65.0.0/33\" is not a CIDR")
        .hasMessageContaining("spec.nodeSelector")
        .hasMessageContaining("spec.ipipMode must be one of");
    assertThat(datastore().list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
  }

  @Test
  void poolsMustNotOverlap() {
    datastore().create(pool("blue", "10.65.0.0/16"));

    assertThatThrownBy(() -> datastore().create(pool("green", "10.65.128.0/20")))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("overlaps 10.65.0.0/16 of pool blue");
    datastore().create(pool("red", "10.66.0.0/16"));
  }

  @Test
  void aPoolKeepsItsAddressesAndBlockSize() {
    Resource blue = datastore().create(pool("blue", "10.65.0.0/16"));

    assertThatThrownBy(
            () -> datastore().update(blue.edit(d -> spec(d).put("cidr", "10.66.0.0/16"))))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("spec.cidr cannot be changed");
    assertThatThrownBy(() -> datastore().update(blue.edit(d -> spec(d).put("blockSize", 28))))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("spec.blockSize cannot be changed");
  }

  @Test
  void listsAreByKindNamespaceAndBeginningOfTheName() {
    Resource a = datastore().create(networkSet("shop", "web-1", "10.0.0.0/8"));
    Resource b = datastore().create(networkSet("shop", "web-2", "10.0.0.0/8"));
    Resource c = datastore().create(networkSet("shop", "db", "10.0.0.0/8"));
    Resource d = datastore().create(networkSet("shop-2", "web-1", "10.0.0.0/8"));
    datastore().create(pool("web-1", "10.65.0.0/16"));

    assertThat(items(ResourceQuery.of(Kind.NETWORK_SET))).containsExactlyInAnyOrder(a, b, c, d);
    assertThat(items(ResourceQuery.in(Kind.NETWORK_SET, "shop"))).containsExactly(c, a, b);
    assertThat(items(ResourceQuery.startingWith(Kind.NETWORK_SET, "shop", "web-")))
        .containsExactly(a, b);
    assertThat(items(ResourceQuery.startingWith(Kind.IP_POOL, "", "web"))).hasSize(1);
    assertThat(items(ResourceQuery.in(Kind.NETWORK_SET, "none"))).isEmpty();
  }

  @Test
  void pagesTogetherAreTheStateOfTheFirst() {
    for (int i = 0; i < 25; i++) {
      datastore().create(networkSet("shop", "web-%02d".formatted(i), "10.0.0.0/8"));
    }
    List<Resource> before = items(ResourceQuery.of(Kind.NETWORK_SET));

    ResourcePage page = datastore().list(ResourceQuery.of(Kind.NETWORK_SET), 10, null);
    List<Resource> seen = new ArrayList<>(page.items());
    datastore().delete(before.get(20));
    datastore().create(networkSet("shop", "web-155", "10.0.0.0/8"));
    while (page.next() != null) {
      page = another().list(ResourceQuery.of(Kind.NETWORK_SET), 10, page.next());
      seen.addAll(page.items());
    }

    assertThat(seen).isEqualTo(before);
  }

  @Test
  void changesAfterAListAreSeenOnceAndInOrder() {
    datastore().create(networkSet("shop", "old", "10.0.0.0/8"));
    String revision = datastore().list(ResourceQuery.of(Kind.NETWORK_SET)).revision();
    try (ResourceWatch watch = another().watch(ResourceQuery.of(Kind.NETWORK_SET), revision)) {
      Resource created = datastore().create(networkSet("shop", "web", "10.0.0.0/8"));
      datastore().create(pool("blue", "10.65.0.0/16"));
      Resource changed = datastore().update(created.edit(d -> spec(d).putArray("nets")));
      datastore().delete(changed);

      List<ResourceEvent> events = events(watch, 3);
      assertThat(events.subList(0, 2))
          .containsExactly(new ResourceEvent.Added(created), new ResourceEvent.Modified(changed));
      assertThat(events.get(2)).isInstanceOf(ResourceEvent.Deleted.class);
      assertThat(events.get(2).key()).isEqualTo(created.key());
      assertThat(events).hasSize(3);
    }
  }

  @Test
  void aWatchGoesOnWhereAnotherStopped() {
    String revision = datastore().list(ResourceQuery.in(Kind.NETWORK_SET, "shop")).revision();
    datastore().create(networkSet("shop", "one", "10.0.0.0/8"));
    datastore().create(networkSet("other", "none", "10.0.0.0/8"));
    datastore().create(networkSet("shop", "two", "10.0.0.0/8"));
    List<String> seen = new ArrayList<>();
    while (seen.size() < 2) {
      try (ResourceWatch watch =
          datastore().watch(ResourceQuery.in(Kind.NETWORK_SET, "shop"), revision)) {
        ResourceWatch.Batch batch = watch.next(Watching.TIMEOUT);
        batch.events().forEach(event -> seen.add(event.key().name()));
        revision = batch.revision();
      }
    }
    assertThat(seen).containsExactly("one", "two");
  }

  @Test
  void ipamsRecordsAreKeptDigitByDigit() {
    Resource block = datastore().create(block("10.65.0.0/31", 1767225600000000003L));
    Resource handle = datastore().create(handle("net.AA11", "10.65.0.0/31", 1));

    assertThat(another().get(block.key())).isEqualTo(block);
    assertThat(another().get(block.key()).content().path("sequenceNumber").longValue())
        .isEqualTo(1767225600000000003L);
    assertThat(another().get(handle.key())).isEqualTo(handle);

    Resource changed =
        datastore().update(block.edit(d -> d.put("sequenceNumber", 1767225600000000004L)));
    assertThatThrownBy(() -> another().update(block)).isInstanceOf(ConflictException.class);
    assertThatThrownBy(() -> another().delete(block)).isInstanceOf(ConflictException.class);
    datastore().delete(changed);
    assertThatThrownBy(() -> another().get(block.key())).isInstanceOf(NotFoundException.class);
  }

  @Test
  void affinitiesAreListedByHostAndVersion() {
    IpPrefix v4 = IpPrefix.parse("10.65.0.0/26");
    IpPrefix v6 = IpPrefix.parse("fd00:1::40/122");
    Resource a = createAffinity(ResourceKey.Affinity.ofHost("node-1", v4));
    Resource b = createAffinity(ResourceKey.Affinity.ofHost("node-1", v6));
    Resource c = createAffinity(ResourceKey.Affinity.ofHost("node-10", v4));
    Resource d =
        createAffinity(new ResourceKey.Affinity(AffinityType.VIRTUAL, "load-balancer", v4));

    assertThat(items(new ResourceQuery.Affinities(AffinityType.HOST, "node-1", IpVersion.V4)))
        .containsExactly(a);
    assertThat(items(new ResourceQuery.Affinities(AffinityType.HOST, "node-1", null)))
        .containsExactlyInAnyOrder(a, b);
    assertThat(items(new ResourceQuery.Affinities(AffinityType.HOST, null, null)))
        .containsExactlyInAnyOrder(a, b, c);
    assertThat(items(ResourceQuery.of(Kind.BLOCK_AFFINITY))).containsExactlyInAnyOrder(a, b, c, d);
  }

  private Resource createAffinity(ResourceKey.Affinity key) {
    return datastore().create(affinity(key, "pending"));
  }

  @Test
  void blocksAreListedByVersion() {
    Resource v4 = datastore().create(block("10.65.0.0/31", 1));
    Resource v6 = datastore().create(block("fd00:1::40/127", 1));

    assertThat(items(new ResourceQuery.Blocks(IpVersion.V4))).containsExactly(v4);
    assertThat(items(new ResourceQuery.Blocks(IpVersion.V6))).containsExactly(v6);
    assertThat(items(ResourceQuery.of(Kind.IPAM_BLOCK))).containsExactlyInAnyOrder(v4, v6);
  }

  @Test
  void everythingIsThereAfterARestart() {
    Resource pool = datastore().create(pool("blue", "10.65.0.0/16"));
    Resource block = datastore().create(block("10.65.0.0/31", 5));

    reopen();

    assertThat(datastore().get(pool.key())).isEqualTo(pool);
    datastore().update(block.edit(d -> d.put("sequenceNumber", 6)));
  }

  @Test
  void noChangeOfManyWritersIsLost() throws Exception {
    Resource first = datastore().create(block("10.65.0.0/31", 0));
    int writers = 6;
    int each = 15;
    String revision = datastore().list(ResourceQuery.of(Kind.IPAM_BLOCK)).revision();
    List<Datastore> doors = List.of(datastore(), another());
    Set<String> written = ConcurrentHashMap.newKeySet();
    try (ResourceWatch watch = another().watch(ResourceQuery.of(Kind.IPAM_BLOCK), revision);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        Datastore door = doors.get(writer % doors.size());
        tasks.add(threads.submit(() -> increment(door, first.key(), each, written)));
      }
      for (Future<?> task : tasks) {
        task.get(120, TimeUnit.SECONDS);
      }
      List<ResourceEvent> events = events(watch, writers * each);
      assertThat(events)
          .extracting(
              event ->
                  ((ResourceEvent.Modified) event)
                      .resource()
                      .content()
                      .path("sequenceNumber")
                      .intValue())
          .hasSize(writers * each)
          .isSorted()
          .doesNotHaveDuplicates();
      assertThat(new TreeSet<>(events.stream().map(ResourceEvent::revision).toList()))
          .isEqualTo(new TreeSet<>(written));
    }
  }

  private static void increment(Datastore door, ResourceKey key, int times, Set<String> written) {
    for (int done = 0; done < times; ) {
      Resource read = door.get(key);
      try {
        Resource next =
            door.update(
                read.edit(d -> d.put("sequenceNumber", d.path("sequenceNumber").intValue() + 1)));
        written.add(next.revision());
        done++;
      } catch (ConflictException _) {
        // A concurrent writer was faster: read again.
      }
    }
  }

  @Test
  void aClosedDatastoreSaysSo() {
    Datastore closed = open();
    closed.close();

    assertThatThrownBy(() -> closed.get(BLUE)).isInstanceOf(IllegalStateException.class);
  }

  private List<Resource> items(ResourceQuery query) {
    return another().list(query).items();
  }

  private static ObjectNode spec(ObjectNode document) {
    return (ObjectNode) document.get("spec");
  }
}
