package io.ocicat.daemon.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.call.PluginCall;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Phase;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FinishedCallsTest {
  private static final Instant NOW = Instant.parse("2026-11-15T08:00:00Z");
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private final FinishedCalls finished = new FinishedCalls(Clock.fixed(NOW, ZoneOffset.UTC));
  private final CallTrace trace =
      new CallTrace(0, TraceContext.parse("00-" + TRACE + "-00f067aa0ba902b7-01", "", ""));

  private static PluginCall call(String stdin) {
    Plugin none =
        new Plugin() {
          @Override
          public Result add(AddCall call) {
            return Result.empty();
          }

          @Override
          public void del(DelCall call) {}
        };
    return new PluginCall(
        "bridge",
        none,
        Map.of(
            "CNI_COMMAND", "ADD",
            "CNI_CONTAINERID", "c1",
            "CNI_IFNAME", "eth0",
            "CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0"),
        PluginStdin.of(stdin.getBytes(UTF_8)),
        Namespaces.OWN,
        NamespaceId.NONE,
        NamespaceId.NONE,
        Deadline.NEVER,
        0);
  }

  @Test
  void aFailureIsDescribedByItsException() {
    CniException error =
        new CniException(ErrorCode.TRY_AGAIN_LATER, "no address", "254 of 254 in use")
            .because(FailureReason.ADDRESSES_EXHAUSTED);
    PluginReply reply = PluginReply.failed(error, "");

    FinishedCall call = finished.describe(call("{\"name\":\"blue\"}"), reply, trace, 100, 350);

    assertThat(call.number()).isEqualTo(1);
    assertThat(call.time()).isEqualTo(NOW);
    assertThat(call.plugin()).isEqualTo("bridge");
    assertThat(call.network()).isEqualTo("blue");
    assertThat(call.pod()).isEqualTo("shop/web-0");
    assertThat(call.failed()).isTrue();
    assertThat(call.code()).isEqualTo(11);
    assertThat(call.message()).isEqualTo("no address; 254 of 254 in use");
    assertThat(call.cause()).isEqualTo(Cause.POOL_EMPTY);
    assertThat(call.traceId()).isEqualTo(TRACE);
    assertThat(call.nanos()).isEqualTo(250);
  }

  @Test
  void aSuccessHasNoCauseAndItsStepsOnDemand() {
    trace.add(Phase.IPAM, () -> "host-local ADD", 10, 20);

    FinishedCall call = finished.describe(call("{\"name\":"), PluginReply.done(""), trace, 0, 1);

    assertThat(call.network()).isEmpty();
    assertThat(call.cause()).isEqualTo(Cause.NONE);
    assertThat(call.steps()).isEmpty();
    assertThat(call.with(trace).steps()).singleElement().matches(step -> step.nanos() == 10);
  }
}
