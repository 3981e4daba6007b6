package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a plugin's output is interpreted, with a simulated plugin. */
class PluginInvokerTest {
  private static final Path EXECUTABLE = Path.of("/opt/cni/bin/bridge");
  private static final Invocation ADD =
      new Invocation(
          EXECUTABLE,
          Map.of("CNI_COMMAND", "ADD", "HOME", "/root"),
          "{\"cniVersion\":\"1.0.0\"}".getBytes(UTF_8),
          Duration.ofSeconds(1));

  private final List<Invocation> asked = new ArrayList<>();
  private final List<String> logged = new ArrayList<>();

  @Test
  void addDecodesTheResult() {
    Result result = answering(0, "{\"cniVersion\":\"0.4.0\"}", "").add(ADD, SpecVersion.V1_0_0);
    assertThat(result).isEqualTo(Result.empty(SpecVersion.V0_4_0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"cniVersion\":\"\"}", "{\"cniVersion\":7}", "null"})
  void aResultWithoutVersionHasTheVersionOfTheConfiguration(String stdout) {
    assertThat(answering(0, stdout, "").add(ADD, SpecVersion.V0_3_1))
        .isEqualTo(Result.empty(SpecVersion.V0_3_1));
  }

  @Test
  void aResultWithoutVersionToAConfigurationWithoutIsOf010() {
    assertThat(answering(0, "{}", "").add(ADD, SpecVersion.of("")))
        .isEqualTo(Result.empty(SpecVersion.V0_1_0));
  }

  @Test
  void theInvocationIsPassedOnUnchanged() {
    answering(0, "{}", "").add(ADD, SpecVersion.V1_0_0);
    answering(0, "", "").run(ADD);
    assertThat(asked).containsExactly(ADD, ADD);
  }

  @Test
  void anErrorOfTheExecutionItselfPropagates() {
    CniException failure = new CniException(ErrorCode.UNKNOWN, "fork/exec /x: gone");
    PluginInvoker invoker =
        new PluginInvoker(
            _ -> {
              throw failure;
            },
            PluginInvoker.Stderr.IGNORED);
    assertThatThrownBy(() -> invoker.add(ADD, SpecVersion.V1_0_0)).isSameAs(failure);
    assertThatThrownBy(() -> invoker.run(ADD)).isSameAs(failure);
  }

  @Test
  void whatIsPrintedWithoutAResultToReadIsIgnored() {
    answering(0, "all [is well", "").run(ADD);
    assertThat(asked).hasSize(1);
  }

  @Test
  void stderrIsForwardedOnSuccessAndOnFailure() {
    answering(0, "{}", "took 3 ms\n").add(ADD, SpecVersion.V1_0_0);
    assertThatThrownBy(() -> answering(1, "{\"code\":7,\"msg\":\"m\"}", "hm\n").run(ADD))
        .hasMessage("m");
    answering(0, "", "").run(ADD);
    assertThat(logged).containsExactly("took 3 ms\n", "hm\n");
  }

  @Test
  void errorJsonIsDecodedAndPassedOnAsItIs() {
    CniException error =
        failure(
            1,
            "{\"cniVersion\":\"1.1.0\",\"code\":107,\"msg\":\"pool empty\",\"details\":\"blue\"}",
            "some noise");
    assertThat(error.code()).isEqualTo(new ErrorCode(107));
    assertThat(error.msg()).isEqualTo("pool empty");
    assertThat(error.details()).isEqualTo("blue");
  }

  @Test
  void silentFailureTellsTheExitStatus() {
    CniException error = failure(1, "", "");
    assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN);
    assertThat(error.msg()).isEqualTo("netplugin failed with no error message: exit status 1");
    assertThat(error.details()).isEqualTo("plugin /opt/cni/bin/bridge, ADD");
  }

  @Test
  void failureWithNothingButStderrQuotesIt() {
    assertThat(failure(1, "", "oh \"no\"\n").msg())
        .isEqualTo("netplugin failed: \"oh \\\"no\\\"\\n\": exit status 1");
  }

  @ParameterizedTest
  @CsvSource({
    "137, exit status 137 (SIGKILL)",
    "139, exit status 139 (SIGSEGV)",
    "143, exit status 143 (SIGTERM)",
    "129, exit status 129 (SIGHUP)",
    "159, exit status 159 (SIGSYS)",
    "128, exit status 128",
    "160, exit status 160",
    "255, exit status 255",
  })
  void crashBySignalIsNamed(int exitCode, String text) {
    assertThat(failure(exitCode, "", "").msg()).endsWith(": " + text);
  }

  @Test
  void longStderrIsQuotedFromItsEnd() {
    assertThat(failure(2, "", "x".repeat(100_000) + "the reason").msg())
        .startsWith("netplugin failed: \"…xxx")
        .endsWith("the reason\": exit status 2")
        .hasSizeLessThan(2100);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "panic: nil map|not valid JSON: line 1, column ",
        "[1]|the document must be an object, not a list",
        "{\"code\":\"x\"}|code must be a whole number 0–2147483647, not \"x\"",
        "{\"code\":1} {}|not valid JSON: line 1, column 12: unexpected text after the value",
      })
  void anythingElseOnStdoutIsQuotedWithTheParseError(String stdout, String why) {
    CniException error = failure(2, stdout, "trace");
    assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN);
    assertThat(error.msg())
        .startsWith(
            "netplugin failed but error parsing its diagnostic message " + Quoted.of(stdout) + ": ")
        .contains(why);
    assertThat(error.details())
        .isEqualTo("plugin /opt/cni/bin/bridge, ADD, exit status 2, stderr \"trace\"");
  }

  @Test
  void anErrorObjectThatSaysNothingIsAtLeastPlaced() {
    CniException error = failure(3, "{}", "");
    assertThat(error.msg()).isEmpty();
    assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN);
    assertThat(error.details()).isEqualTo("plugin /opt/cni/bin/bridge, ADD, exit status 3");
  }

  @Test
  void whatIsNoResultIsQuoted() {
    CniException error =
        catchThrowableOfType(
            CniException.class, () -> answering(0, "{} trailing", "").add(ADD, SpecVersion.V1_0_0));
    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error.msg()).startsWith("failed to unmarshal raw result: not valid JSON: line 1");
    assertThat(error.details())
        .isEqualTo("plugin /opt/cni/bin/bridge, ADD printed \"{} trailing\"");
  }

  @Test
  void addWithoutOutputFails() {
    assertThatThrownBy(() -> answering(0, "", "").add(ADD, SpecVersion.V1_0_0))
        .hasMessage(
            "failed to unmarshal raw result: not valid JSON: it is empty; plugin"
                + " /opt/cni/bin/bridge, ADD printed \"\"");
  }

  @Test
  void outputThatIsNotUtf8IsReadWithReplacements() {
    byte[] stdout = "{\"dns\":{\"domain\":\"x?\"}}".getBytes(UTF_8);
    stdout[19] = (byte) 0xff;
    PluginInvoker invoker =
        new PluginInvoker(_ -> new PluginReply(0, stdout, ""), PluginInvoker.Stderr.IGNORED);
    assertThat(invoker.add(ADD, SpecVersion.V1_0_0).dns().domain()).isEqualTo("x\ufffd");
  }

  /** As in libcni: exit code 0 is success. The members stay visible in the result. */
  @Test
  void errorJsonWithExitCode0IsAResult() {
    Result result = answering(0, "{\"code\":7,\"msg\":\"no\"}", "").add(ADD, SpecVersion.V1_0_0);
    assertThat(result.ips()).isEmpty();
    assertThat(result.unknown()).containsKeys("code", "msg");
  }

  @Test
  void aPluginIsNotStartedWhenNoTimeIsLeft() {
    Invocation late = Scripts.limited(ADD, Duration.ZERO);
    assertThatThrownBy(() -> answering(0, "{}", "").run(late))
        .hasMessage(
            "netplugin failed with no error message: no time was left to start it; plugin"
                + " /opt/cni/bin/bridge, ADD");
    assertThat(asked).isEmpty();
  }

  @Test
  void versionIsAskedWithDummiesForOldPlugins() {
    answering(0, "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"1.1.0\"]}", "")
        .version(EXECUTABLE, Map.of("HOME", "/", "CNI_IFNAME", "eth0"), Duration.ofSeconds(1));
    Invocation question = asked.getFirst();
    assertThat(question.environment())
        .isEqualTo(
            Map.of(
                "HOME", "/",
                "CNI_COMMAND", "VERSION",
                "CNI_NETNS", "dummy",
                "CNI_IFNAME", "dummy",
                "CNI_PATH", "dummy",
                "CNI_CONTAINERID", "",
                "CNI_ARGS", ""));
    assertThat(question.stdin().bytes()).isEqualTo("{\"cniVersion\":\"1.1.0\"}".getBytes(UTF_8));
  }

  /**
   * Five generations: without the verb, with it but without a list, then with lists of their own.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1|{\"code\":100,\"msg\":\"unknown CNI_COMMAND: VERSION\"}|0.1.0",
        "0|{\"cniVersion\":\"0.2.0\"}|0.1.0 0.2.0",
        "0|{\"cniVersion\":\"0.2.0\",\"supportedVersions\":[\"0.2.0\",\"0.999.0\"]}|0.2.0 0.999.0",
        "0|{\"cniVersion\":\"0.3.1\",\"supportedVersions\":[\"0.3.0\",\"0.3.1\"]}|0.3.0 0.3.1",
        "0|{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"1.0.0\",\"1.1.0\"]}|1.0.0 1.1.0",
      })
  void versionAcrossFiveEras(int exitCode, String stdout, String supported) {
    assertThat(
            answering(exitCode, stdout, "")
                .version(EXECUTABLE, Map.of(), Duration.ofSeconds(1))
                .supportedVersions())
        .containsExactly(supported.split(" "));
  }

  @Test
  void versionErrorsPropagate() {
    assertThatThrownBy(
            () ->
                answering(1, "{\"code\":999,\"msg\":\"unknown CNI_COMMAND: VERSION!\"}", "")
                    .version(EXECUTABLE, Map.of(), Duration.ofSeconds(1)))
        .hasMessage("unknown CNI_COMMAND: VERSION!");
    assertThatThrownBy(
            () -> answering(0, "what?", "").version(EXECUTABLE, Map.of(), Duration.ofSeconds(1)))
        .hasMessageStartingWith("decoding version info: not valid JSON");
  }

  @Test
  void outputThatIsTooLongIsCalledTooLong() {
    assertThatThrownBy(
            () -> answering(0, " ".repeat(CniJson.MAX_BYTES + 1), "").add(ADD, SpecVersion.V1_0_0))
        .hasMessageContaining("at most 4194304 are read");
  }

  private CniException failure(int exitCode, String stdout, String stderr) {
    return catchThrowableOfType(
        CniException.class, () -> answering(exitCode, stdout, stderr).run(ADD));
  }

  private PluginInvoker answering(int exitCode, String stdout, String stderr) {
    return new PluginInvoker(
        invocation -> {
          asked.add(invocation);
          return new PluginReply(exitCode, stdout.getBytes(UTF_8), stderr);
        },
        (_, text) -> logged.add(text));
  }
}
