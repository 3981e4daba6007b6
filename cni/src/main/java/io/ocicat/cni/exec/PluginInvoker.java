package io.ocicat.cni.exec;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Invokes plugins and interprets their output: a failure becomes a {@link CniException}, the output
 * of ADD a {@link Result}. What plugins log goes to {@code stderr} whether they succeed or not.
 * Thread-safe if its two parts are.
 */
public record PluginInvoker(PluginExec exec, Stderr stderr) {
  /** Receives the plugins' log output. */
  @FunctionalInterface
  public interface Stderr {
    Stderr IGNORED = (_, _) -> {};

    void accept(Invocation invocation, String text);
  }

  private static final String UNKNOWN_VERB = "unknown CNI_COMMAND: " + Verb.VERSION;

  /**
   * Runs ADD.
   *
   * @param requested the version of the configuration, which applies to a result without a version
   * @throws CniException the plugin's error, or why it could not be run or understood
   */
  public Result add(Invocation invocation, SpecVersion requested) {
    PluginReply reply = succeed(invocation);
    if (reply.result().isPresent()) {
      return reply.result().get();
    }
    try {
      return Result.parse(reply.stdout(), requested);
    } catch (CniException e) {
      String details =
          "%s printed %s"
              .formatted(
                  PluginFailure.describe(invocation),
                  Quoted.of(PluginFailure.start(reply.stdout())));
      throw new CniException(
          e.code(), e.msg(), e.details().isEmpty() ? details : e.details() + "; " + details);
    }
  }

  /** Runs DEL, CHECK, GC or STATUS, whose output on success has no meaning. */
  public void run(Invocation invocation) {
    succeed(invocation);
  }

  /** Asks which versions a plugin supports; a plugin without this verb supports 0.1.0. */
  public VersionReply version(Path executable, Map<String, String> inherited, Duration limit) {
    byte[] question = Json.compactBytes(Json.object().put("cniVersion", SpecVersion.LATEST.text()));
    Invocation invocation =
        new Invocation(executable, CniEnvironment.forVersion().over(inherited), question, limit);
    PluginReply reply;
    try {
      reply = succeed(invocation);
    } catch (CniException e) {
      if (e.msg().equals(UNKNOWN_VERB)) {
        return VersionReply.BEFORE_VERSION;
      }
      throw e;
    }
    return VersionReply.parse(reply.stdout());
  }

  private PluginReply succeed(Invocation invocation) {
    if (!invocation.limit().isPositive()) {
      throw new CniException(
              ErrorCode.UNKNOWN,
              "netplugin failed with no error message: no time was left to start it",
              PluginFailure.describe(invocation))
          .because(FailureReason.TIMED_OUT);
    }
    PluginReply reply = exec.run(invocation);
    if (!reply.stderr().isEmpty()) {
      stderr.accept(invocation, reply.stderr());
    }
    if (reply.exitCode() != 0) {
      throw PluginFailure.of(invocation, reply);
    }
    return reply;
  }
}
