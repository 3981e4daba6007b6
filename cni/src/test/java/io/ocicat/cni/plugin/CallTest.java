package io.ocicat.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.Deadline;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.cni.exec.Verb;
import io.ocicat.ip.MacAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a call offers to a plugin. */
class CallTest {
  private final RecordingPlugin plugin = new RecordingPlugin();

  @Test
  void tellsWhoIsToBeAttachedWhere() {
    AddCall call = add(Request.of(Verb.ADD));
    assertThat(call.containerId()).hasToString("c42");
    assertThat(call.ifName()).hasToString("eth0");
    assertThat(call.network()).hasToString("edge-net");
    assertThat(call.version()).isEqualTo(SpecVersion.V1_1_0);
    assertThat(call.attachment()).isEqualTo(new Attachment("c42", "eth0"));
    assertThat(call.netns())
        .isEqualTo(
            new Netns("/run/netns/no-such-namespace", Path.of("/run/netns/no-such-namespace")));
    assertThat(call.hostNetns()).isEqualTo(Path.of("/proc/thread-self/ns/net"));
    assertThat(call.args().get("K8S_POD_NAME")).contains("web-0");
    assertThat(call.environment()).containsEntry("CNI_COMMAND", "ADD");
  }

  @Test
  void malformedArgsAreRefusedWhenTheyAreAskedFor() {
    AddCall call = add(Request.of(Verb.ADD).with("CNI_ARGS", "nonsense"));
    assertThatThrownBy(call::args).hasMessage("ARGS: invalid pair \"nonsense\"");
  }

  @Test
  void runtimeConfigIsReadWithItsPath() {
    AddCall call =
        add(
            Request.of(Verb.ADD)
                .stdin(
                    "{\"cniVersion\":\"1.0.0\",\"name\":\"n\","
                        + "\"runtimeConfig\":{\"mac\":\"c2:11:22:33:44:55\",\"ips\":7}}"));
    Optional<MacAddress> mac = call.runtimeConfig(in -> in.mac("mac").optional());
    assertThat(mac).contains(MacAddress.parse("c2:11:22:33:44:55"));
    assertThatThrownBy(() -> call.runtimeConfig(in -> in.texts("ips").required()))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG))
        .hasMessageContaining("runtimeConfig.ips must be a list, not 7");
    Optional<MacAddress> none =
        add(Request.of(Verb.ADD)).runtimeConfig(in -> in.mac("mac").optional());
    assertThat(none).isEmpty();
  }

  @Test
  void thePreviousResultIsThereForPluginsBehindOthers() {
    AddCall call =
        add(
            Request.of(Verb.ADD)
                .stdin(
                    "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"prevResult\":"
                        + "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.0.0.2/8\"}]}}"));
    assertThat(call.requirePreviousResult().ips()).hasSize(1);
    assertThat(call.previousResult()).contains(call.requirePreviousResult());
  }

  @Test
  void aPluginThatMustBeBehindOthersSaysSo() {
    AddCall first = add(Request.of(Verb.ADD));
    assertThat(first.previousResult()).isEmpty();
    assertThatThrownBy(first::requirePreviousResult)
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG))
        .hasMessageStartingWith("must be called as chained plugin; the request has no prevResult")
        .hasMessageContaining("put \"test\" after");
    assertThat(Request.of(Verb.CHECK).to(plugin).exitCode()).isZero();
    assertThatThrownBy(() -> ((CheckCall) plugin.calls.getLast()).requirePreviousResult())
        .hasMessageStartingWith("required prevResult missing");
  }

  @Test
  void anUnreadablePreviousResultFailsAddButNotDel() {
    String stdin =
        "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"prevResult\":{\"cniVersion\":\"0.2.0\"}}";
    assertThatThrownBy(add(Request.of(Verb.ADD).stdin(stdin))::previousResult)
        .hasMessageStartingWith("could not parse prevResult");

    plugin.action = call -> assertThat(((DelCall) call).previousResult()).isEmpty();
    assertThat(Request.of(Verb.DEL).stdin(stdin).to(plugin).stderr())
        .startsWith("prevResult is ignored: could not parse prevResult");
  }

  @Test
  void delKnowsWhenThereIsNoNamespace() {
    assertThat(Request.of(Verb.DEL).with("CNI_NETNS", "").to(plugin).exitCode()).isZero();
    assertThat(plugin.only(DelCall.class).netns()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"cni.dev/valid-attachments\":[{\"containerID\":\"a\",\"ifname\":\"eth0\"}]|1",
        "\"cni.dev/attachments\":[{\"containerID\":\"a\",\"ifname\":\"eth0\"}]|1",
        "\"cni.dev/valid-attachments\":null|0",
        "\"cni.dev/valid-attachments\":[]|0",
      })
  void gcKnowsWhatIsInUse(String member, int count) {
    GcCall call = gc("{\"cniVersion\":\"1.1.0\",\"name\":\"n\"," + member + "}");
    assertThat(call.validAttachments().orElseThrow()).hasSize(count);
  }

  @Test
  void gcKnowsWhenNothingIsSaid() {
    assertThat(gc(Request.CONFIG).validAttachments()).isEmpty();
    assertThat(
            gc("{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"cni.dev/valid-attachments\":"
                    + "[{\"containerID\":\"a\",\"ifname\":\"b\"}]}")
                .validAttachments())
        .contains(Set.of(new Attachment("a", "b")));
  }

  @Test
  void theTraceIsThatOfTheEnvironment() {
    String traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assertThat(add(Request.of(Verb.ADD).with("TRACEPARENT", traceparent)).trace())
        .map(TraceContext::traceparent)
        .contains(traceparent);
    assertThat(add(Request.of(Verb.ADD).with("TRACEPARENT", "00-0-0-0")).trace()).isEmpty();
  }

  @Test
  void theDeadlineIsThatOfTheSurroundings() {
    Deadline deadline = Deadline.in(Duration.ofSeconds(7));
    Request.of(Verb.ADD).to(plugin, PluginHost.process().withDeadline(deadline));
    assertThat(plugin.only(AddCall.class).deadline()).isSameAs(deadline);
  }

  @Test
  void aDelegateNeedsAName() {
    AddCall call = add(Request.of(Verb.ADD));
    assertThatThrownBy(call::ipam)
        .hasMessage(
            "no plugin name provided; ipam.type is missing: it names the plugin that manages"
                + " addresses");
    assertThatThrownBy(() -> call.delegate("../../bin/sh"))
        .hasMessage("invalid plugin name: ../../bin/sh");
  }

  private AddCall add(Request request) {
    assertThat(request.to(plugin).exitCode()).isZero();
    return (AddCall) plugin.calls.getLast();
  }

  private GcCall gc(String stdin) {
    assertThat(Request.of(Verb.GC).stdin(stdin).to(plugin).exitCode()).isZero();
    return (GcCall) plugin.calls.getLast();
  }
}
