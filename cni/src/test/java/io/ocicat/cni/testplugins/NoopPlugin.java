package io.ocicat.cni.testplugins;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginMain;
import io.ocicat.cni.plugin.StatusCall;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * A plugin that attaches nothing and follows a {@link DebugFile}, which CNI_ARGS name as {@code
 * DEBUG=<file>} or the configuration as {@code debugFile}. A {@code commandLog} in the
 * configuration is a file to which every call is appended.
 */
public final class NoopPlugin implements Plugin {
  /** What a crashed Go program returns. */
  private static final int CRASH = 2;

  private final List<String> supportedVersions;
  private final IntConsumer exit;

  /**
   * @param exit ends the process at once; inside a test there is none to end
   */
  NoopPlugin(List<String> supportedVersions, IntConsumer exit) {
    this.supportedVersions = List.copyOf(supportedVersions);
    this.exit = exit;
  }

  /** For use in this JVM. */
  public NoopPlugin() {
    this(
        DebugFile.result("").versions(),
        code -> {
          throw new IllegalStateException("would exit with code " + code);
        });
  }

  static void main() {
    Map<String, String> environment = System.getenv();
    IntConsumer exit = Runtime.getRuntime()::halt;
    try {
      List<String> versions =
          debugFile(environment).map(DebugFile::read).orElse(DebugFile.result("")).versions();
      PluginMain.main(new NoopPlugin(versions, exit));
    } catch (RuntimeException e) {
      System.err.println("panic: " + e.getMessage());
      exit.accept(CRASH);
    }
  }

  private static Optional<Path> debugFile(Map<String, String> environment) {
    return CniArgs.parse(environment.getOrDefault(CniEnvironment.ARGS, ""))
        .get("DEBUG")
        .map(Path::of);
  }

  @Override
  public Result add(AddCall call) {
    DebugFile behaviour = behave(call);
    return switch (behaviour.result()) {
      case "" -> Result.empty();
      case DebugFile.PASSTHROUGH -> call.previousResult().orElseGet(Result::empty);
      case DebugFile.INJECT_DNS ->
          call.previousResult()
              .orElseGet(Result::empty)
              .withDns(new Dns(List.of("1.2.3.4"), "", List.of(), List.of()));
      default -> Result.parse(CniJson.parse(behaviour.result()), call.version());
    };
  }

  @Override
  public void del(DelCall call) {
    behave(call);
  }

  @Override
  public void check(CheckCall call) {
    behave(call);
  }

  @Override
  public void gc(GcCall call) {
    behave(call);
  }

  @Override
  public void status(StatusCall call) {
    behave(call);
  }

  @Override
  public List<String> supportedVersions() {
    return supportedVersions;
  }

  private DebugFile behave(Call call) {
    DebugFile.Args args = args(call);
    String command = call.environment().getOrDefault(CniEnvironment.COMMAND, "");
    call.config()
        .read(in -> in.text("commandLog").optional())
        .ifPresent(log -> DebugFile.append(Path.of(log), command, args));
    Optional<Path> file =
        debugFile(call.environment())
            .or(() -> call.config().read(in -> in.text("debugFile").optional()).map(Path::of));
    if (file.isEmpty()) {
      call.log("noop: no debug file");
      return DebugFile.result("");
    }
    DebugFile behaviour = DebugFile.read(file.get()).called(command, args);
    behaviour.write(file.get());
    if (!behaviour.stderr().isEmpty()) {
      call.log(behaviour.stderr());
    }
    if (behaviour.exitCode() != 0) {
      exit.accept(behaviour.exitCode());
    }
    if (behaviour.errorCode() != 0) {
      throw new CniException(new ErrorCode(behaviour.errorCode()), behaviour.error());
    }
    if (!behaviour.error().isEmpty()) {
      throw new IllegalStateException(behaviour.error());
    }
    return behaviour;
  }

  private static DebugFile.Args args(Call call) {
    Map<String, String> environment = call.environment();
    String path = environment.getOrDefault(CniEnvironment.PATH, "");
    String stdin = new String(call.config().bytes(), UTF_8);
    return call instanceof AttachmentCall
        ? new DebugFile.Args(
            environment.getOrDefault(CniEnvironment.CONTAINER_ID, ""),
            environment.getOrDefault(CniEnvironment.NETNS, ""),
            environment.getOrDefault(CniEnvironment.IFNAME, ""),
            environment.getOrDefault(CniEnvironment.ARGS, ""),
            path,
            stdin)
        : new DebugFile.Args("", "", "", "", path, stdin);
  }
}
