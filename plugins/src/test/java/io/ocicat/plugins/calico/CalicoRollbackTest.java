package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** ADD fails at each of its steps, five times each: nothing stays. DEL without a datastore. */
@Hosts
class CalicoRollbackTest {
  private static final int TIMES = 5;
  private static final String BOTH =
      """
      {"cniVersion": "1.1.0", "ips": [{"address": "10.65.0.5/26"}, {"address": "fd00:65::5/122"}]}
      """;

  @TempDir Path files;
  @TempDir Path state;
  @TempDir Path bin;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @SuppressWarnings("NullAway.Init") // by open
  private ScriptedIpam ipam;

  @BeforeEach
  void open() {
    store = openStore(state);
    store.reset();
    store.pool("pods", "10.65.0.0/16", true);
    ipam = ScriptedIpam.in(bin, "scripted", BOTH);
  }

  Store openStore(Path directory) {
    return Store.embedded(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Where ADD fails. */
  enum Step {
    IPAM("told to fail", "true"),
    NO_ADDRESS("IPAM plugin returned missing IP config", "true"),
    HOST_LINK("failed to delete old hostVeth", "ip link add cali7b07e5871ca type bridge"),
    CONTAINER_ADDRESS("add address 10.65.0.5/32", "true"),
    HOST_ROUTE(
        "already exists for an interface other than 'cali7b07e5871ca'",
        "ip link add other0 type veth peer name other1; ip link set other0 up; ip route add"
            + " 10.65.0.5/32 dev other0"),
    ENDPOINT("error writing endpoint: the disk is full", "true"),
    ENDPOINT_LOST("error writing endpoint: the answer is lost", "true"),
    PROFILE("error getting profile net1: the disk is full", "true");

    private final String error;
    private final String preparation;

    Step(String error, String preparation) {
      this.error = error;
      this.preparation = preparation;
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void nothingStays(Step step, Host host, Host pod) {
    host.exec("sh", "-ec", step.preparation);
    switch (step) {
      case IPAM -> ipam.failOn("ADD");
      case NO_ADDRESS -> ipam.answer("{\"cniVersion\": \"1.1.0\"}");
      case CONTAINER_ADDRESS -> ipam.answer(BOTH.replace("fd00:65::5/122", "10.65.0.5/26"));
      default -> {}
    }
    CalicoNode node = CalicoNode.of(host, store, files).withPath(bin).between(failing(step));
    Calling eth0 =
        node.pod(node.config(), pod, "test", "web-0")
            .set("ipam", CniJson.parse("{\"type\": \"scripted\"}"));

    for (int i = 0; i < TIMES; i++) {
      assertThat(eth0.add().error().msg()).contains(step.error);
      assertThat(pod.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
      assertThat(without(node.traces(), step)).isEmpty();
    }
    List<String> both = List.of("ADD " + pod.name(), "DEL " + pod.name());
    assertThat(ipam.calls().stream().map(call -> call.substring(0, call.lastIndexOf(' '))))
        .as("each address is released")
        .containsExactlyElementsOf(
            Collections.nCopies(TIMES, both).stream().flatMap(List::stream).toList());
    eth0.on(CalicoNode.of(host, store, files).withPath(bin)).del().ok();
    assertThat(without(node.traces(), step)).isEmpty();
  }

  private static List<String> without(List<String> traces, Step step) {
    return step == Step.HOST_LINK
        ? traces.stream().filter(trace -> !trace.equals("cali7b07e5871ca")).toList()
        : traces;
  }

  @Test
  void statusSaysThatTheDatastoreCannotBeWritten(Host host, Host pod) {
    CalicoNode node =
        CalicoNode.of(host, store, files)
            .withPath(bin)
            .between(
                behind ->
                    new PassingDatastore(behind) {
                      @Override
                      public Optional<String> writeProblem() {
                        return Optional.of("the disk is full");
                      }
                    });

    CniException told = node.pod(node.config(), pod, "test", "web-0").status().error();

    assertThat(told.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(told.msg()).isEqualTo("the disk is full");
  }

  private static UnaryOperator<Datastore> failing(Step step) {
    return behind ->
        new PassingDatastore(behind) {
          @Override
          public Resource create(Resource resource) {
            if (step == Step.ENDPOINT && resource.kind() == Kind.WORKLOAD_ENDPOINT) {
              throw new UnavailableException("the disk is full", null);
            }
            if (step == Step.ENDPOINT_LOST && resource.kind() == Kind.WORKLOAD_ENDPOINT) {
              super.create(resource);
              throw UnavailableException.outcomeUnknown("the answer is lost", null);
            }
            if (step == Step.PROFILE && resource.kind() == Kind.PROFILE) {
              throw new UnavailableException("the disk is full", null);
            }
            return super.create(resource);
          }
        };
  }

  @Test
  void aSecondAddThatFailsLeavesTheFirstItsAddress(Host host, Host pod) {
    CalicoNode node = CalicoNode.of(host, store, files).withPath(bin);
    Calling eth0 =
        node.pod(node.config(), pod, "test", "web-0")
            .set("ipam", CniJson.parse("{\"type\": \"scripted\"}"));
    eth0.add().ok();
    ipam.failOn("ADD");

    eth0.with("CNI_IFNAME", "eth1").add().error();

    assertThat(ipam.calls()).noneMatch(call -> call.startsWith("DEL"));
    assertThat(store.endpoints()).hasSize(1);
  }

  @Test
  void delDoesItsLocalPartWithoutADatastoreAndTheRestWhenItIsBack(Host host, Host pod) {
    CalicoNode node = CalicoNode.of(host, store, files);
    Calling eth0 = node.pod(node.kubernetes("10.65.0.0/24"), pod, "test", "web-0");
    eth0.add().ok();
    CalicoNode cut =
        node.between(
            behind ->
                new PassingDatastore(behind) {
                  @Override
                  public Resource get(ResourceKey key) {
                    throw new UnavailableException("nobody answers", null);
                  }
                });

    var failure = eth0.on(cut).del().error();

    assertThat(failure.code().value()).as("passing: the daemon tries again").isEqualTo(11);
    assertThat(failure.msg()).isEqualTo("error getting ClusterInformation: nobody answers");
    assertThat(pod.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
    assertThat(node.traces()).containsExactly("WorkloadEndpoint test/node--a-k8s-web--0-eth0");
    assertThat(files.resolve("leases/net1/10.65.0.2")).as("host-local's part").doesNotExist();
    eth0.withNetns("").del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void whoeverChangesAnEndpointMeanwhileDoesNotStopDel(Host host, Host pod) {
    AtomicInteger changes = new AtomicInteger();
    CalicoNode node =
        CalicoNode.of(host, store, files)
            .between(
                behind ->
                    new PassingDatastore(behind) {
                      @Override
                      public Resource delete(ResourceKey key, @Nullable String revision) {
                        if (key.kind() == Kind.WORKLOAD_ENDPOINT
                            && changes.incrementAndGet() <= 3) {
                          Resource present = behind.get(key);
                          behind.update(
                              present.edit(
                                  document ->
                                      ((ObjectNode) document.at("/metadata/labels"))
                                          .put("round", "r" + changes.get())));
                        }
                        return super.delete(key, revision);
                      }
                    });
    Calling eth0 = node.pod(node.kubernetes("10.65.0.0/24"), pod, "test", "web-0");
    eth0.add().ok();

    eth0.del().ok();

    assertThat(changes).hasValue(4);
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void whatOthersWroteIntoAnEndpointSurvives(Host host, Host x, Host y) {
    CalicoNode node = CalicoNode.of(host, store, files);
    node.pod(node.kubernetes("10.65.0.0/24"), x, "test", "web-0").add().ok();
    Resource endpoint = store.endpoints().getFirst();
    store
        .open()
        .update(
            endpoint.edit(
                document -> ((ObjectNode) document.path("spec")).put("fromTheFuture", 7)));
    AtomicInteger conflicts = new AtomicInteger();
    CalicoNode contended =
        node.between(
            behind ->
                new PassingDatastore(behind) {
                  @Override
                  public Resource update(Resource resource) {
                    if (conflicts.incrementAndGet() == 1) {
                      throw new ConflictException("somebody was faster");
                    }
                    return super.update(resource);
                  }
                });

    node.pod(node.kubernetes("10.65.0.0/24"), y, "test", "web-0").on(contended).add().ok();

    JsonNode spec = store.endpoints().getFirst().content().path("spec");
    assertThat(spec.path("fromTheFuture").asInt()).isEqualTo(7);
    assertThat(spec.path("containerID").asString()).isEqualTo(y.name());
  }
}
