package io.ocicat.cni.testplugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin from end to end: a process with an environment and three streams. */
class NoopPluginTest {
  private static final String CONFIG =
      "{\"name\":\"noop-test\",\"some\":\"stdin-json\",\"cniVersion\":\"0.3.1\"}";
  private static final String RESULT =
      "{\"cniVersion\":\"0.3.1\",\"ips\":[{\"version\":\"4\",\"address\":\"10.1.2.3/24\"}],\"dns\":{}}";

  @TempDir private Path directory;
  private Path noop;
  private Path debugFile;

  @BeforeEach
  void install() {
    noop = JvmPlugins.install(directory, "noop", NoopPlugin.class);
    debugFile = directory.resolve("debug");
  }

  @Test
  void addPrintsTheResultAndRecordsHowItWasCalled() {
    DebugFile.result(RESULT).write(debugFile);
    Output output = call("ADD", CONFIG).run();
    assertThat(compact(output)).isEqualTo(RESULT);
    assertThat(output.stderr()).isEmpty();
    DebugFile recorded = DebugFile.read(debugFile);
    assertThat(recorded.command()).isEqualTo("ADD");
    assertThat(recorded.args())
        .isEqualTo(
            new DebugFile.Args(
                "some-container-id",
                "/some/netns/path",
                "some-eth0",
                "DEBUG=" + debugFile,
                "/some/bin/path",
                CONFIG));
  }

  @Test
  void aMissingDebugFileIsACrash() {
    Output output = call("ADD", CONFIG).attempt();
    assertThat(output.exitCode()).isEqualTo(2);
    assertThat(output.stdout()).isEmpty();
    assertThat(output.stderr()).contains("NoSuchFile");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.1", "0.4.0"})
  void passthroughEchoesThePreviousResult(String version) {
    DebugFile.result(DebugFile.PASSTHROUGH).write(debugFile);
    String previous = RESULT.replace("0.3.1", version);
    Output output = call("ADD", chained(version, previous)).run();
    assertThat(compact(output)).isEqualTo(previous).endsWith("\"dns\":{}}");
  }

  @Test
  void injectDnsAddsANameserver() {
    DebugFile.result(DebugFile.INJECT_DNS).write(debugFile);
    assertThat(compact(call("ADD", chained("0.3.1", RESULT)).run()))
        .endsWith("\"dns\":{\"nameservers\":[\"1.2.3.4\"]}}");
  }

  @Test
  void theDebugFileMayBeNamedByTheConfiguration() {
    DebugFile.result(RESULT).write(debugFile);
    String config = CONFIG.replace("stdin-json\"", "\",\"debugFile\":\"" + debugFile + "\"");
    assertThat(compact(call("ADD", config).env("CNI_ARGS", "").run())).isEqualTo(RESULT);
    assertThat(DebugFile.read(debugFile).command()).isEqualTo("ADD");
  }

  @Test
  void withoutADebugFileTheResultIsEmpty() {
    Output output = call("ADD", CONFIG).env("CNI_ARGS", "").run();
    assertThat(compact(output)).isEqualTo("{\"cniVersion\":\"0.3.1\",\"dns\":{}}");
    assertThat(output.stderr()).isEqualTo("noop: no debug file\n");
  }

  @Test
  void aSuddenEndHasItsExitCodeAndPrintsNothing() {
    DebugFile.result(RESULT).withExitCode(3).write(debugFile);
    Output output = call("ADD", CONFIG).attempt();
    assertThat(output.exitCode()).isEqualTo(3);
    assertThat(output.stdout()).isEmpty();
  }

  @Test
  void anErrorIsPrintedWithExitCode1() {
    DebugFile.error(0, "banana").withStderr("careful").write(debugFile);
    Output output = call("ADD", CONFIG).attempt();
    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(compact(output))
        .isEqualTo("{\"cniVersion\":\"0.3.1\",\"code\":999,\"msg\":\"banana\"}");
    assertThat(output.stderr()).startsWith("careful\n");
  }

  @Test
  void delIsRecordedAndPrintsNothing() {
    DebugFile.result(RESULT).write(debugFile);
    assertThat(call("DEL", CONFIG).run().stdout()).isEmpty();
    assertThat(DebugFile.read(debugFile).command()).isEqualTo("DEL");
  }

  @Test
  void versionTellsTheVersionsItIsTold() {
    DebugFile.result("").withVersions(List.of("0.1.0", "0.2.0")).write(debugFile);
    assertThat(call("VERSION", "").run().stdout())
        .isEqualTo("{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.1.0\",\"0.2.0\"]}\n");
  }

  private Command call(String verb, String stdin) {
    return Command.of(noop.toString())
        .env("CNI_COMMAND", verb)
        .env("CNI_CONTAINERID", "some-container-id")
        .env("CNI_NETNS", "/some/netns/path")
        .env("CNI_IFNAME", "some-eth0")
        .env("CNI_ARGS", "DEBUG=" + debugFile)
        .env("CNI_PATH", "/some/bin/path")
        .stdin(stdin);
  }

  private static String chained(String version, String previous) {
    return "{\"name\":\"noop-test\",\"cniVersion\":\"%s\",\"prevResult\":%s}"
        .formatted(version, previous);
  }

  private static String compact(Output output) {
    return Json.compact(CniJson.parse(output.stdout()));
  }
}
