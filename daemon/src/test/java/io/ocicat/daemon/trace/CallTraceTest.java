package io.ocicat.daemon.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallTraceTest {
  private final CallTrace trace = new CallTrace(0, Optional.empty());

  @Test
  void aStepComesBeforeItsParts() {
    int answer =
        trace.timed(
            Phase.PLUGIN,
            () -> "bridge",
            () -> {
              trace.add(Phase.QUEUE, () -> "lock", 1, 2);
              return trace.timed(Phase.IPAM, () -> "host-local", () -> 42);
            });

    assertThat(answer).isEqualTo(42);
    assertThat(trace.steps())
        .extracting(Step::phase, Step::detail, Step::depth)
        .containsExactly(
            tuple(Phase.PLUGIN, "bridge", 0),
            tuple(Phase.QUEUE, "lock", 1),
            tuple(Phase.IPAM, "host-local", 1));
  }

  @Test
  void whatFailsIsNotedAsWell() {
    assertThatThrownBy(
            () ->
                trace.timed(
                    Phase.PLUGIN,
                    () -> "bridge",
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(trace.steps()).hasSize(1);
  }

  @Test
  void exchangesWithTheKernelAreNotedByWhatTheyAreAbout() {
    try (NetNs somewhere = NetNs.create();
        NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, somewhere)) {
      ScopedValue.where(ExchangeListener.PRESENT, trace).run(() -> socket.find(Links.named("lo")));
      socket.find(Links.named("lo"));
    }
    assertThat(trace.steps())
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.phase()).isEqualTo(Phase.LINK);
              assertThat(step.detail()).isEqualTo("get link \"lo\"");
              assertThat(step.nanos()).isPositive();
            });
  }

  /** Review K14. */
  @Test
  void requestsToADatastoreAreStepsWithWhatTheyWaitedFor() {
    ScopedValue.where(RequestListener.CURRENT, trace)
        .run(
            () ->
                RequestListener.report(
                    new DatastoreRequest(
                        "get pods shop/cart", 2, 1_500_000, 50_000_000, true, 1, 60_000_001)));

    assertThat(trace.steps())
        .extracting(Step::phase, Step::detail, Step::nanos)
        .containsExactly(
            tuple(
                Phase.DATASTORE,
                "get pods shop/cart, 2 attempts, 50.0 ms between them, throttled for 1.5 ms",
                60_000_000L));
  }

  @Test
  void aCallThatDoesVeryMuchIsNotedInPart() {
    for (int i = 0; i < 10_000; i++) {
      trace.add(Phase.KERNEL, () -> "", 0, 1);
    }
    assertThat(trace.steps()).hasSizeLessThan(1000);
  }

  /** Review R5: thousands of port mappings are one transaction. */
  @Test
  void ofALargeTransactionOnlyItsFirstRequestsAreKept() {
    NetlinkRequest one = NetlinkRequest.of(0, 0, _ -> {}, () -> "one");
    trace.exchanged(List.of(one), 0, 1);
    long small = trace.bytes();

    trace.exchanged(Collections.nCopies(10_000, one), 0, 1);

    assertThat(trace.bytes()).isEqualTo(65 * small);
    assertThat(trace.steps().getLast().detail()).startsWith("one; one").endsWith("… and 9936 more");
  }
}
