package io.ocicat.cni.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Go's skeleton, scenario by scenario, and where ours does better. */
class DispatcherTest {
  private static final InputStream BROKEN =
      new InputStream() {
        @Override
        public int read() throws IOException {
          throw new IOException("banana");
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
          throw new IOException("banana");
        }
      };

  private final RecordingPlugin plugin = new RecordingPlugin();

  @Test
  void addCallsTheAddCallbackOnlyAndPrintsItsResult() {
    plugin.result = Result.empty().withIp(IpConfig.of(IpPrefix.parse("10.77.0.4/16")));
    PluginReply reply = Request.of(Verb.ADD).to(plugin);
    assertThat(reply.exitCode()).isZero();
    assertThat(Request.stdout(reply))
        .isEqualTo(
            """
            {
                "cniVersion": "1.1.0",
                "ips": [
                    {
                        "address": "10.77.0.4/16"
                    }
                ]
            }""");
    AddCall call = plugin.only(AddCall.class);
    assertThat(call.containerId()).hasToString("c42");
    assertThat(call.config().bytes()).isEqualTo(Request.CONFIG.getBytes(UTF_8));
  }

  @Test
  void delCallsTheDelCallbackOnlyAndPrintsNothing() {
    PluginReply reply = Request.of(Verb.DEL).to(plugin);
    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stdout()).isEmpty();
    assertThat(plugin.only(DelCall.class).ifName()).hasToString("eth0");
  }

  @Test
  void delDoesNotMindAPrevResultThatIsNone() {
    for (String garbage : List.of("\"\"", "7", "[]", "true")) {
      String request = Request.CONFIG.replaceFirst("\\{", "{\"prevResult\":" + garbage + ",");
      assertThat(Request.of(Verb.DEL).stdin(request).to(plugin).exitCode()).as(garbage).isZero();
      assertThat(Request.of(Verb.CHECK).stdin(request).to(plugin).exitCode()).isEqualTo(1);
    }
    assertThat(plugin.calls).hasSize(4);
  }

  @Test
  void delStillRefusesWhatElseIsWrongWithItsRequest() {
    String request =
        Request.CONFIG.replaceFirst("\\{", "{\"PREVRESULT\":7,\"dns\":\"prevResult\",");
    assertThat(Request.of(Verb.DEL).stdin(request).failure(plugin).msg())
        .contains("dns must be")
        .doesNotContain("prevResult must");
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void checkGcAndStatusCallTheirsAndPrintNothing() {
    for (Verb verb : List.of(Verb.CHECK, Verb.GC, Verb.STATUS)) {
      PluginReply reply = Request.of(verb).to(plugin);
      assertThat(reply.exitCode()).isZero();
      assertThat(reply.stdout()).isEmpty();
    }
    assertThat(plugin.calls)
        .extracting(Call::getClass)
        .isEqualTo(List.of(CheckCall.class, GcCall.class, StatusCall.class));
  }

  @ParameterizedTest
  @EnumSource(names = {"ADD", "CHECK", "DEL"})
  void anInvalidContainerIdIsRefused(Verb verb) {
    CniException error =
        Request.of(verb).with("CNI_CONTAINERID", "some-%%container-id").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).isEqualTo("invalid characters in containerID");
    assertThat(error.details()).isEqualTo("some-%%container-id");
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1234567890123456, interface name is too long",
    "., interface name is . or ..",
    ".., interface name is . or ..",
    "test/test, interface name contains / or : or whitespace characters",
    "test:test, interface name contains / or : or whitespace characters",
    "test test, interface name contains / or : or whitespace characters",
  })
  void anInvalidInterfaceNameIsRefused(String name, String why) {
    CniException error = Request.of(Verb.ADD).with("CNI_IFNAME", name).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).isEqualTo(why);
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void anInvalidValueIsReportedEvenIfAnEarlierVariableIsMissing() {
    assertThat(
            Request.of(Verb.ADD)
                .without("CNI_CONTAINERID")
                .with("CNI_IFNAME", "..")
                .failure(plugin)
                .msg())
        .isEqualTo("interface name is . or ..");
  }

  @Test
  void whatAVerbDoesNotNeedIsNotValidated() {
    for (Verb verb : List.of(Verb.GC, Verb.STATUS, Verb.VERSION)) {
      PluginReply reply =
          Request.of(verb).with("CNI_CONTAINERID", "%").with("CNI_IFNAME", "..").to(plugin);
      assertThat(reply.exitCode()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ADD, CNI_CONTAINERID, true",
    "ADD, CNI_NETNS, true",
    "ADD, CNI_IFNAME, true",
    "ADD, CNI_ARGS, false",
    "ADD, CNI_PATH, false",
    "CHECK, CNI_CONTAINERID, true",
    "CHECK, CNI_NETNS, true",
    "CHECK, CNI_IFNAME, true",
    "CHECK, CNI_ARGS, false",
    "CHECK, CNI_PATH, false",
    "DEL, CNI_CONTAINERID, true",
    "DEL, CNI_NETNS, false",
    "DEL, CNI_IFNAME, true",
    "DEL, CNI_ARGS, false",
    "DEL, CNI_PATH, false",
    "GC, CNI_CONTAINERID, false",
    "GC, CNI_NETNS, false",
    "GC, CNI_IFNAME, false",
    "GC, CNI_ARGS, false",
    "GC, CNI_PATH, true",
    "STATUS, CNI_CONTAINERID, false",
    "STATUS, CNI_NETNS, false",
    "STATUS, CNI_IFNAME, false",
    "STATUS, CNI_ARGS, false",
    "STATUS, CNI_PATH, false",
    "VERSION, CNI_CONTAINERID, false",
    "VERSION, CNI_NETNS, false",
    "VERSION, CNI_IFNAME, false",
    "VERSION, CNI_ARGS, false",
    "VERSION, CNI_PATH, false",
  })
  void requiredAndOptionalVariables(Verb verb, String variable, boolean required) {
    for (Request request :
        List.of(Request.of(verb).without(variable), Request.of(verb).with(variable, ""))) {
      PluginReply reply = request.to(plugin);
      if (required) {
        CniException error = Request.failureIn(reply);
        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
        assertThat(error.msg())
            .isEqualTo("required env variables [%s] missing".formatted(variable));
        assertThat(plugin.calls).isEmpty();
      } else {
        assertThat(reply.exitCode()).isZero();
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ADD|CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME",
        "CHECK|CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME",
        "DEL|CNI_CONTAINERID,CNI_IFNAME",
        "GC|CNI_PATH",
      })
  void severalMissingVariablesAreAllListedInOrder(Verb verb, String missing) {
    Request bare = new Request(Map.of("CNI_COMMAND", verb.name()), Request.CONFIG);
    assertThat(bare.failure(plugin).msg())
        .isEqualTo("required env variables [%s] missing".formatted(missing));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "VERSION")
  void aBadNetworkNameIsRefused(Verb verb) {
    CniException error =
        Request.of(verb).stdin("{\"cniVersion\":\"1.1.0\",\"name\":\"te%%st\"}").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).isEqualTo("invalid characters found in network name");
    assertThat(error.details()).isEqualTo("te%%st");
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "null", "{\"name\":\"\"}", "{\"name\":null}"})
  void aMissingNetworkNameIsRefused(String stdin) {
    CniException error = Request.of(Verb.ADD).stdin(stdin).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).isEqualTo("missing network name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "7", "{\"name\":7}", "{} {}", "{\"cniVersion\":1}"})
  void whatIsNoConfigurationIsUndecodable(String stdin) {
    CniException error = Request.of(Verb.ADD).stdin(stdin).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error.msg()).startsWith("error unmarshall network config: ");
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void versionIsAnsweredAlsoWhenStdinCannotBeRead() {
    PluginReply reply =
        Dispatcher.dispatch(
            plugin, PluginHost.process(), Map.of("CNI_COMMAND", "VERSION"), PluginStdin.of(BROKEN));
    assertThat(reply.exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"foo", "add", "ADD ", "\u0130"})
  void anUnknownVerbIsRefused(String verb) {
    CniException error = Request.of(Verb.ADD).with("CNI_COMMAND", verb).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).isEqualTo("unknown CNI_COMMAND: " + verb);
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void anUnknownVerbWithBadStdinReportsStdin() {
    assertThat(Request.of(Verb.ADD).with("CNI_COMMAND", "foo").stdin("").failure(plugin).code())
        .isEqualTo(ErrorCode.DECODING_FAILURE);
  }

  @Test
  void aBlankVerbPrintsWhatThePluginIs() {
    plugin.about = "CNI bridge plugin v1";
    plugin.supportedVersions = List.of("0.4.0", "1.0.0");
    PluginReply reply = Request.of(Verb.ADD).without("CNI_COMMAND", "CNI_IFNAME").to(plugin);
    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stdout()).isEmpty();
    assertThat(reply.stderr())
        .isEqualTo("CNI bridge plugin v1\nCNI protocol versions supported: 0.4.0, 1.0.0\n");
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void aBlankVerbWithoutAnythingToSayIsAnError() {
    CniException error = Request.of(Verb.ADD).with("CNI_COMMAND", "").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).isEqualTo("required env variables [CNI_COMMAND] missing");
  }

  @Test
  void stdinThatCannotBeReadIsAnError() {
    PluginReply reply =
        Dispatcher.dispatch(
            plugin,
            PluginHost.process(),
            Request.of(Verb.ADD).environment(),
            PluginStdin.of(BROKEN));
    CniException error = Request.failureIn(reply);
    assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILURE);
    assertThat(error.msg()).isEqualTo("error reading from stdin: banana");
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void anEndlessRequestIsRefused() {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return ' ';
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            return length;
          }
        };
    CniException error =
        Request.failureIn(
            Dispatcher.dispatch(
                plugin,
                PluginHost.process(),
                Request.of(Verb.ADD).environment(),
                PluginStdin.of(endless)));
    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error.msg()).contains("at most 4194304 are read");
  }

  @Test
  void checkGcAndStatusSucceedWhenAPluginHasNothingToDo() {
    Plugin minimal =
        new Plugin() {
          @Override
          public Result add(AddCall call) {
            return Result.empty();
          }

          @Override
          public void del(DelCall call) {}
        };
    for (Verb verb : List.of(Verb.CHECK, Verb.GC, Verb.STATUS)) {
      PluginReply reply = Request.of(verb).to(minimal);
      assertThat(reply.exitCode()).isZero();
      assertThat(reply.stdout()).isEmpty();
    }
    assertThat(Request.of(Verb.CHECK).version("0.3.1").failure(minimal).msg())
        .isEqualTo("config version does not allow CHECK");
    assertThat(Request.stdout(Request.of(Verb.VERSION).to(minimal)))
        .contains("\"0.1.0\",\"0.2.0\"");
  }
}
