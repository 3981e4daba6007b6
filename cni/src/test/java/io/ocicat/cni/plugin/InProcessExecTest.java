package io.ocicat.cni.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.testplugins.DebugFile;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Our own plugins in this JVM behave exactly as in a process. */
class InProcessExecTest {
  private static final Duration PLENTY = Duration.ofSeconds(20);

  @TempDir private Path directory;

  static Stream<Request> requests() {
    return Stream.of(
        Request.of(Verb.ADD),
        Request.of(Verb.ADD).version("0.3.1"),
        Request.of(Verb.ADD).stdin("{\"name\":"),
        Request.of(Verb.DEL).without("CNI_CONTAINERID", "CNI_IFNAME"),
        Request.of(Verb.CHECK).version("0.3.1"),
        Request.of(Verb.STATUS),
        Request.of(Verb.VERSION),
        Request.of(Verb.ADD).with("CNI_COMMAND", "JUMP"),
        Request.of(Verb.ADD).with("CNI_NETNS", "/proc/self/ns/net"));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void aReplyIsTheSameAsFromAProcess(Request request) {
    Path noop = Way.install(directory);
    String log = directory.resolve("debug").toString();
    DebugFile.result("{\"ips\":[{\"address\":\"10.1.2.3/24\"}]}")
        .withStderr("to people")
        .write(Path.of(log));
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(request.with("CNI_ARGS", "DEBUG=" + log).environment());
    Invocation invocation =
        new Invocation(noop, environment, request.stdin().getBytes(UTF_8), PLENTY);

    PluginReply process = Way.PROCESS.exec().run(invocation);
    PluginReply here = Way.IN_PROCESS.exec().run(invocation);
    assertThat(Request.stdout(here)).isEqualTo(Request.stdout(process));
    assertThat(here.exitCode()).isEqualTo(process.exitCode());
    assertThat(here.stderr()).isEqualTo(process.stderr());
  }

  @Test
  void whatIsNotOursIsLeftToTheOther() {
    List<Invocation> left = new ArrayList<>();
    InProcessExec exec =
        new InProcessExec(
            _ -> Optional.empty(),
            invocation -> {
              left.add(invocation);
              return new PluginReply(7, new byte[0], "");
            },
            Namespaces.OWN);
    Invocation invocation = new Invocation(Path.of("/x"), Map.of(), new byte[0], PLENTY);
    assertThat(exec.run(invocation).exitCode()).isEqualTo(7);
    assertThat(left).containsExactly(invocation);
  }

  @Test
  void delegatesOfDelegatesStayInHereWithNamespacesAndDeadline() throws IOException {
    for (String name : List.of("outer", "middle", "inner")) {
      Files.createFile(directory.resolve(name));
    }
    RecordingPlugin inner = new RecordingPlugin();
    inner.result = Result.empty().withIp(IpConfig.of(IpPrefix.parse("10.1.2.3/24")));
    inner.action = call -> call.log("inner");
    Plugin middle = new Relay("inner");
    Plugin outer = new Relay("middle");
    Path host = Path.of("/proc/self/fd/98");
    Path container = Path.of("/proc/self/fd/99");
    Request request = Request.of(Verb.ADD).with("CNI_PATH", directory.toString());
    InProcessExec exec =
        new InProcessExec(
            path ->
                Optional.ofNullable(
                    Map.of("outer", outer, "middle", middle, "inner", inner)
                        .get(path.getFileName().toString())),
            invocation -> {
              throw new AssertionError("executed " + invocation.executable());
            },
            Namespaces.received(host, "/run/netns/no-such-namespace", container));

    PluginReply reply =
        exec.run(
            new Invocation(
                directory.resolve("outer"),
                request.environment(),
                request.stdin().getBytes(UTF_8),
                PLENTY));

    assertThat(Request.stdout(reply)).contains("10.1.2.3/24");
    assertThat(reply.stderr()).isEqualTo("inner\nback from inner\nback from middle\n");
    AddCall call = inner.only(AddCall.class);
    assertThat(call.netns().path()).isEqualTo(container);
    assertThat(call.hostNetns()).isEqualTo(host);
    assertThat(call.deadline().remaining()).isPositive().isLessThanOrEqualTo(PLENTY);
  }

  @Test
  void aDelegateInHereGetsTheConfigurationAndReturnsTheResultItself() throws IOException {
    Files.createFile(directory.resolve("inner"));
    RecordingPlugin inner = new RecordingPlugin();
    inner.result = Result.empty(SpecVersion.V1_1_0).withIp(IpConfig.of(IpPrefix.parse("::1/64")));
    RecordingPlugin outer = new RecordingPlugin();
    List<Result> results = new ArrayList<>();
    outer.action = call -> results.add(call.delegate("inner").add());

    delegating(Request.of(Verb.ADD), outer, inner);

    assertThat(inner.only(AddCall.class).config()).isSameAs(outer.only(AddCall.class).config());
    assertThat(results).singleElement().isSameAs(inner.result);
  }

  @Test
  void theErrorOfADelegateKeepsItsReasonAndIsLoggedOnce() throws IOException {
    Files.createFile(directory.resolve("inner"));
    CniException full =
        new CniException(ErrorCode.TRY_AGAIN_LATER, "pool is empty", "254 of 254")
            .because(FailureReason.ADDRESSES_EXHAUSTED);
    full.addSuppressed(new IllegalStateException("the lock file stays"));
    RecordingPlugin inner = new RecordingPlugin().failing(full);
    RecordingPlugin outer = new RecordingPlugin();
    outer.action = call -> call.delegate("inner").check();

    PluginReply reply = delegating(Request.of(Verb.CHECK), outer, inner);

    CniException error = reply.failure().orElseThrow();
    assertThat(error).hasMessage("pool is empty; 254 of 254").hasRootCause(full);
    assertThat(error.reason()).contains(FailureReason.ADDRESSES_EXHAUSTED);
    assertThat(error.cniVersion()).contains("1.1.0");
    assertThat(Request.failureIn(reply).msg()).isEqualTo("pool is empty");
    assertThat(reply.stderr()).isEqualTo("the lock file stays\n");
  }

  private PluginReply delegating(Request request, Plugin outer, Plugin inner) {
    InProcessExec exec =
        new InProcessExec(
            _ -> Optional.of(inner),
            invocation -> {
              throw new AssertionError("executed " + invocation.executable());
            },
            Namespaces.OWN);
    return request
        .with("CNI_PATH", directory.toString())
        .to(outer, PluginHost.process().withExec(exec));
  }

  private record Relay(String to) implements Plugin {
    @Override
    public Result add(AddCall call) {
      Result result = call.delegate(to).add();
      call.log("back from " + to);
      return result;
    }

    @Override
    public void del(DelCall call) {
      call.delegate(to).del();
    }
  }
}
