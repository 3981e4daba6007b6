package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Blocks, affinities and handles are marked before they are removed. */
class TwoStepDeleteTest {
  private static final String HANDLES = "ipamhandles.";
  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private static Resource handle(String id) {
    return Resource.of(
        new ResourceKey.Handle(id),
        StoredJson.parseObject("{\"block\":{\"10.65.0.0/26\":1},\"deleted\":false}"));
  }

  private static Resource affinity() {
    return Resource.of(
        ResourceKey.Affinity.ofHost("node-1", IpPrefix.parse("10.65.0.0/26")),
        Json.object().put("state", "confirmed").put("deleted", false));
  }

  /** As a process leaves it that is killed between the steps. */
  private void markOnly(ApiGroup group, String collection, String key) {
    ObjectNode stored = server.store().get(collection + group.group(), key).orElseThrow();
    ((ObjectNode) stored.get("spec")).put("deleted", true);
    server.put(collection + group.group(), key, stored);
  }

  @ParameterizedTest
  @EnumSource
  void theMarkIsAnUpdateOfWhatWasReadAndTheRemovalOfTheSameObject(ApiGroup group) {
    server.define(Crds.of(group));
    Resource created = datastore.create(affinity());
    String uid =
        server
            .store()
            .get("blockaffinities." + group.group(), "node-1-10-65-0-0-26")
            .map(custom -> JsonTrees.text(JsonTrees.metadata(custom), "uid"))
            .orElseThrow();
    server.forgetSeen();

    datastore.delete(created);

    assertThat(server.seen()).extracting(ApiServer.Seen::verb).containsExactly("update", "delete");
    ObjectNode mark = server.seen().get(0).body();
    assertThat(JsonTrees.revision(mark)).isEqualTo(created.revision());
    JsonNode deleted = mark.at("/spec/deleted");
    assertThat(group == ApiGroup.V1 ? deleted.isString() : deleted.isBoolean()).isTrue();
    assertThat(deleted.asString("")).isEqualTo("true");
    assertThat(server.seen().get(1).body().path("preconditions"))
        .isEqualTo(Json.object().put("uid", uid));
  }

  @ParameterizedTest
  @EnumSource
  void markedRecordsCountAsDeletedAndTheNextReaderRemovesThem(ApiGroup group) {
    server.define(Crds.of(group));
    datastore.create(handle("net.aa"));
    markOnly(group, HANDLES, "net.aa");

    assertThat(datastore.list(new ResourceQuery.Handles()).items()).isEmpty();
    assertThatThrownBy(() -> datastore.get(new ResourceKey.Handle("net.aa")))
        .isInstanceOf(NotFoundException.class);
    assertThat(server.store().get(HANDLES + group.group(), "net.aa")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aNewOneMayTakeThePlaceOfOneThatIsMarked(ApiGroup group) {
    server.define(Crds.of(group));
    datastore.create(handle("net.aa"));
    markOnly(group, HANDLES, "net.aa");

    Resource again = datastore.create(handle("net.aa"));

    assertThat(datastore.get(again.key())).isEqualTo(again);
    assertThatThrownBy(() -> datastore.create(handle("net.aa")))
        .isInstanceOf(ExistsException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aRemovalThatFailsIsLeftToOthers(ApiGroup group) {
    server.define(Crds.of(group));
    Resource created = datastore.create(handle("net.aa"));
    server.fail("delete", ApiServer.Fault.DROPPED);

    datastore.delete(created);

    assertThat(server.store().get(HANDLES + group.group(), "net.aa")).isPresent();
    assertThat(datastore.list(new ResourceQuery.Handles()).items()).isEmpty();
    assertThatThrownBy(() -> datastore.delete(created)).isInstanceOf(NotFoundException.class);
    assertThat(server.store().get(HANDLES + group.group(), "net.aa")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void whoIsFasterWithAChangeKeepsIt(ApiGroup group) {
    server.define(Crds.of(group));
    Resource created = datastore.create(handle("net.aa"));
    datastore.update(created.edit(record -> record.withObject("/block").put("10.66.0.0/26", 2)));

    assertThatThrownBy(() -> datastore.delete(created)).isInstanceOf(ConflictException.class);
    datastore.delete(created.key(), null);
    assertThatThrownBy(() -> datastore.get(created.key())).isInstanceOf(NotFoundException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aWatchReportsTheDeletionOnceAndWithTheMark(ApiGroup group) {
    server.define(Crds.of(group));
    String revision = datastore.list(new ResourceQuery.Handles()).revision();
    try (ResourceWatch watch = datastore.watch(new ResourceQuery.Handles(), revision)) {
      Resource first = datastore.create(handle("net.aa"));
      datastore.delete(first);
      Resource second = datastore.create(handle("net.bb"));

      List<ResourceEvent> events = WatchReader.events(watch, 3);
      assertThat(events.get(0)).isEqualTo(new ResourceEvent.Added(first));
      assertThat(events.get(1)).isInstanceOf(ResourceEvent.Deleted.class);
      assertThat(events.get(1).key()).isEqualTo(first.key());
      assertThat(events.get(2)).isEqualTo(new ResourceEvent.Added(second));
      assertThat(watch.next(Duration.ZERO).events()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void handlesThatDifferInCaseCannotBothBeThere(ApiGroup group) {
    server.define(Crds.of(group));
    Resource upper = datastore.create(handle("net.AA"));

    assertThat(datastore.get(upper.key())).isEqualTo(upper);
    assertThatThrownBy(() -> datastore.get(new ResourceKey.Handle("net.aa")))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("taken by IPAMHandle net.AA");
    assertThatThrownBy(() -> datastore.create(handle("net.aa")))
        .isInstanceOf(ExistsException.class);
  }

  @ParameterizedTest
  @EnumSource
  void affinitiesOfAHostAreSelectedByLabels(ApiGroup group) {
    server.define(Crds.of(group));
    Resource created = datastore.create(affinity());
    server.forgetSeen();

    assertThat(
            datastore
                .list(new ResourceQuery.Affinities(AffinityType.HOST, "node-1", IpVersion.V4))
                .items())
        .containsExactly(created);
    assertThat(server.seen().getFirst().target().option("labelSelector"))
        .isEqualTo(
            "projectcalico.org/hostname-hash=A3XPYDATRKB7Q4SM2O5FN4RXIHBFIL2PITFX26BAIP5XAB2X74CA,projectcalico.org/affinity-type=host,projectcalico.org/ip-version=4");
    assertThat(datastore.list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items())
        .containsExactly(created);
  }
}
