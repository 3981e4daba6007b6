package io.ocicat.cni.exec;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Result;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a plugin execution: 0 and a result or nothing, or another number and an error. A
 * process prints both as JSON. A plugin in this JVM hands over the {@link Result} or the exception
 * itself, which is printed only when somebody needs the bytes. Immutable.
 */
public final class PluginReply {
  private static final byte[] NOTHING = {};

  private final int exitCode;
  private final @Nullable Result result;
  private final @Nullable CniException failure;
  private final String stderr;
  private volatile byte @Nullable [] stdout;

  private PluginReply(
      int exitCode,
      byte @Nullable [] stdout,
      @Nullable Result result,
      @Nullable CniException failure,
      String stderr) {
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.result = result;
    this.failure = failure;
    this.stderr = stderr;
  }

  /** What a process printed. */
  public PluginReply(int exitCode, byte[] stdout, String stderr) {
    this(exitCode, stdout.clone(), null, null, stderr);
  }

  /** A success without output. */
  public static PluginReply done(String stderr) {
    return new PluginReply(0, NOTHING, null, null, stderr);
  }

  /** A successful ADD, with the result in the version that it is to be printed in. */
  public static PluginReply added(Result result, String stderr) {
    return new PluginReply(0, null, result, null, stderr);
  }

  /** A failure, with the version of the request in the error. */
  public static PluginReply failed(CniException failure, String stderr) {
    return new PluginReply(1, null, null, failure, stderr);
  }

  /** By the shell's convention: 128 + n after signal n. */
  public int exitCode() {
    return exitCode;
  }

  /** The document that a process prints; empty for none. */
  public byte[] stdout() {
    byte[] printed = stdout;
    if (printed == null) {
      printed = print();
      stdout = printed;
    }
    return printed.clone();
  }

  private byte[] print() {
    if (failure != null) {
      return Json.prettyBytes(failure.toJson());
    }
    return result == null ? NOTHING : Json.prettyBytes(result.toJson());
  }

  /** The log output, for people. */
  public String stderr() {
    return stderr;
  }

  /** The result of an ADD in this JVM; empty for a process, which printed it. */
  public Optional<Result> result() {
    return Optional.ofNullable(result);
  }

  /** The error of a call in this JVM; empty for a process, which printed it. */
  public Optional<CniException> failure() {
    return Optional.ofNullable(failure);
  }

  /** A success in place of this failure, with one more line of log output. */
  public PluginReply forgiven(String line) {
    return done(stderr + line + "\n");
  }
}
