package io.ocicat.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Scripts;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.testplugins.DebugFile;
import io.ocicat.cni.testplugins.DebugFile.Args;
import io.ocicat.cni.testplugins.DebugFile.Logged;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** A plugin that delegates a part of its work to another one. */
class DelegateTest {
  private static final String RESULT =
      "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}";

  private final RecordingPlugin plugin = new RecordingPlugin();
  @TempDir private Path directory;
  private Path debugFile;
  private Path commandLog;
  private Request request;

  @BeforeEach
  void install() {
    Way.install(directory);
    debugFile = directory.resolve("debug");
    commandLog = directory.resolve("log");
    request =
        Request.of(Verb.ADD)
            .with("CNI_PATH", "/nonexistent:" + directory)
            .with("CNI_ARGS", "DEBUG=" + debugFile)
            .stdin(
                ("{\"cniVersion\":\"1.1.0\",\"name\":\"edge-net\",\"type\":\"outer\","
                        + "\"commandLog\":\"%s\", \"ipam\":{\"type\":\"noop\",\"big\":9007199254740993}}")
                    .formatted(commandLog));
  }

  @ParameterizedTest
  @EnumSource
  void addExecutesTheNamedPluginWithEverythingInherited(Way way) {
    DebugFile.result(RESULT).write(debugFile);
    List<Result> results = new ArrayList<>();
    plugin.action = call -> results.add(call.ipam().add());
    assertThat(request.to(plugin, way.host()).exitCode()).isZero();
    assertThat(results).containsExactly(Result.parse(CniJson.parse(RESULT), version()));
    assertThat(DebugFile.readLog(commandLog))
        .containsExactly(
            new Logged(
                "ADD",
                new Args(
                    "c42",
                    "/run/netns/no-such-namespace",
                    "eth0",
                    "DEBUG=" + debugFile,
                    "/nonexistent:" + directory,
                    request.stdin())));
  }

  @ParameterizedTest
  @EnumSource
  void everyVerbOverridesTheCommandWithoutTouchingTheCallersOwn(Way way) {
    DebugFile.result(RESULT).write(debugFile);
    plugin.action =
        call -> {
          Delegate delegate = call.delegate("noop");
          delegate.check();
          delegate.del();
          delegate.gc();
          delegate.status();
          assertThat(call.environment()).isEqualTo(request.environment());
        };
    assertThat(request.to(plugin, way.host()).exitCode()).isZero();
    assertThat(DebugFile.readLog(commandLog))
        .extracting(Logged::command)
        .containsExactly("CHECK", "DEL", "GC", "STATUS");
  }

  @ParameterizedTest
  @EnumSource
  void aFailedAddIsUndoneAndItsErrorPassedOn(Way way) {
    DebugFile.error(11, "pool is empty").withStderr("looking around").write(debugFile);
    plugin.action = call -> call.ipam().add();
    PluginReply reply = request.to(plugin, way.host());
    CniException error = Request.failureIn(reply);
    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg()).isEqualTo("pool is empty");
    assertThat(DebugFile.readLog(commandLog))
        .extracting(Logged::command)
        .containsExactly("ADD", "DEL");
    assertThat(reply.stderr())
        .isEqualTo(
            """
            looking around
            looking around
            undoing it with noop failed too: pool is empty
            """);
  }

  @Test
  void aFailedAddThatIsNotUndoneSaysSo() {
    DebugFile.error(11, "pool is empty").write(debugFile);
    List<CniException> failures = new ArrayList<>();
    plugin.action =
        call -> {
          try {
            call.ipam().add();
          } catch (NotUndoneException e) {
            failures.add(e);
          }
        };
    assertThat(request.to(plugin, Way.IN_PROCESS.host()).exitCode()).isZero();
    assertThat(failures)
        .singleElement()
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER))
        .satisfies(e -> assertThat(e).hasMessage("pool is empty"));
  }

  @ParameterizedTest
  @EnumSource
  void statusForwardsTheCodeOfTheDelegate(Way way) {
    DebugFile.error(50, "no addresses left").write(debugFile);
    plugin.action = call -> call.ipam().status();
    Request status = request.with("CNI_COMMAND", "STATUS");
    CniException error = Request.failureIn(status.to(plugin, way.host()));
    assertThat(error.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(error.msg()).isEqualTo("no addresses left");
  }

  @ParameterizedTest
  @EnumSource
  void gcForwardsTheAttachments(Way way) {
    DebugFile.result("").write(debugFile);
    plugin.action = call -> call.ipam().gc();
    String attachments = "\"cni.dev/valid-attachments\":[{\"containerID\":\"a\",\"ifname\":\"b\"}]";
    Request gc =
        request
            .with("CNI_COMMAND", "GC")
            .stdin(request.stdin().replace("\"type\":\"outer\"", attachments));
    assertThat(gc.to(plugin, way.host()).exitCode()).isZero();
    assertThat(DebugFile.readLog(commandLog).getFirst().args().stdin()).contains(attachments);
  }

  @ParameterizedTest
  @EnumSource
  void gcDeletesAttachmentsOfContainersThatAreGone(Way way) {
    DebugFile.result("").write(debugFile);
    plugin.action =
        call -> {
          JsonNode behaviour = Json.object().put("file", debugFile.toString()).get("file");
          PluginConfig noop =
              call.config().with(Map.of("type", CniJson.parse("\"noop\""), "debugFile", behaviour));
          call.delegate(noop).del(new Attachment("gone", "net1"));
        };
    assertThat(request.with("CNI_COMMAND", "GC").to(plugin, way.host()).exitCode()).isZero();
    Args args = DebugFile.readLog(commandLog).getFirst().args();
    assertThat(args.containerId()).isEqualTo("gone");
    assertThat(args.ifName()).isEqualTo("net1");
    assertThat(args.netns()).isEmpty();
  }

  @Test
  void anAttachmentWithAnImpossibleNameReachesNoDelegate() {
    plugin.action = call -> call.delegate("noop").del(new Attachment("../etc", "eth0"));
    assertThat(request.failure(plugin).msg()).isEqualTo("invalid characters in containerID");
    plugin.action = call -> call.delegate("noop").del(new Attachment("c1", "eth0/../x"));
    assertThat(request.failure(plugin).code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
  }

  @ParameterizedTest
  @EnumSource
  void theDelegatesStderrBecomesTheCallersOnSuccessToo(Way way) {
    DebugFile.result(RESULT).withStderr("one address of 254").write(debugFile);
    plugin.action =
        call -> {
          call.log("before");
          call.ipam().check();
          call.log("after");
        };
    assertThat(request.to(plugin, way.host()).stderr())
        .isEqualTo("before\none address of 254\nafter\n");
  }

  @ParameterizedTest
  @EnumSource
  void anUnknownPluginIsNotFoundAndNotUndone(Way way) {
    for (Verb verb : List.of(Verb.ADD, Verb.DEL, Verb.CHECK, Verb.GC, Verb.STATUS)) {
      plugin.action = call -> ask(call.delegate("no-such-plugin"), verb);
      PluginReply reply = request.to(plugin, way.host());
      assertThat(Request.failureIn(reply).msg())
          .isEqualTo(
              "failed to find plugin \"no-such-plugin\" in path [/nonexistent %s]"
                  .formatted(directory));
      assertThat(reply.stderr()).isEmpty();
    }
  }

  @Test
  void cniPathIsMissedOnlyByWhoDelegates() {
    plugin.action = call -> call.ipam().del();
    CniException error = request.with("CNI_PATH", "").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).isEqualTo("required env variables [CNI_PATH] missing");
  }

  @ParameterizedTest
  @EnumSource
  void aDelegateCanBeAskedWithARequestMadeForIt(Way way) {
    DebugFile.result(RESULT).write(debugFile);
    plugin.action =
        call -> {
          PluginConfig generated =
              call.config()
                  .with(
                      Map.of(
                          "type", CniJson.parse("\"noop\""),
                          "mtu", CniJson.parse("1450")));
          assertThat(call.delegate(generated).add().ips()).hasSize(1);
        };
    assertThat(request.to(plugin, way.host()).exitCode()).isZero();
    assertThat(DebugFile.readLog(commandLog).getFirst().args().stdin())
        .contains("\"type\":\"noop\"", "\"mtu\":1450", "9007199254740993");
  }

  @Test
  void theTraceIsPassedOn() {
    new Scripts(directory)
        .write("tracer", "echo \"$TRACEPARENT|$TRACESTATE|$BAGGAGE\" >&2", "cat >/dev/null");
    plugin.action = call -> call.delegate("tracer").check();
    String parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assertThat(
            request
                .with("TRACEPARENT", parent)
                .with("TRACESTATE", "a=1")
                .with("BAGGAGE", "k=v")
                .to(plugin)
                .stderr())
        .isEqualTo(parent + "|a=1|k=v\n");
  }

  @Test
  void undoingHasTimeEvenIfNothingElseHas() {
    DebugFile.result(RESULT).write(debugFile);
    plugin.action = call -> call.ipam().add();
    PluginHost late = Way.IN_PROCESS.host().withDeadline(Deadline.in(Duration.ZERO));
    PluginReply reply = request.to(plugin, late);
    assertThat(Request.failureIn(reply).msg()).contains("no time was left to start it");
    assertThat(DebugFile.readLog(commandLog)).extracting(Logged::command).containsExactly("DEL");
  }

  @Test
  void aDelegateThatHangsIsStoppedAtTheCallersDeadline() {
    new Scripts(directory).write("sleepy", "exec sleep 600");
    plugin.action = call -> call.delegate("sleepy").check();
    PluginHost host = PluginHost.process().withDeadline(Deadline.in(Duration.ofMillis(200)));
    assertThat(Request.failureIn(request.to(plugin, host)).msg())
        .contains("netplugin failed with no error message: not finished after");
  }

  private static void ask(Delegate delegate, Verb verb) {
    switch (verb) {
      case ADD -> delegate.add();
      case DEL -> delegate.del();
      case CHECK -> delegate.check();
      case GC -> delegate.gc();
      case STATUS -> delegate.status();
      case VERSION -> throw new IllegalArgumentException("nobody delegates VERSION");
    }
  }

  private static SpecVersion version() {
    return SpecVersion.V1_1_0;
  }
}
