package io.ocicat.cni.exec;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import java.nio.charset.StandardCharsets;

/**
 * Turns the output of a failed plugin into an error. Its own error object is passed on unchanged.
 * When it printed none, the message is the one that libcni's users know, and the details say which
 * plugin failed, how it ended and what it wrote last.
 */
final class PluginFailure {
  /** A longer output belongs in a log, not in an error. */
  private static final int MAX_TEXT = 2000;

  private PluginFailure() {}

  static CniException of(Invocation invocation, PluginReply reply) {
    ExitStatus status = new ExitStatus(reply.exitCode());
    String stderr = end(reply.stderr());
    if (reply.failure().isPresent()) {
      return described(reply.failure().get(), details(invocation, status, stderr));
    }
    byte[] stdout = reply.stdout();
    if (stdout.length == 0) {
      String what =
          stderr.isEmpty()
              ? "netplugin failed with no error message: " + status
              : "netplugin failed: %s: %s".formatted(Quoted.of(stderr), status);
      return new CniException(ErrorCode.UNKNOWN, what, describe(invocation));
    }
    String details = details(invocation, status, stderr);
    try {
      return described(CniException.fromJson(CniJson.parse(stdout)), details);
    } catch (CniException e) {
      return new CniException(
          ErrorCode.UNKNOWN,
          "netplugin failed but error parsing its diagnostic message %s: %s"
              .formatted(Quoted.of(start(stdout)), e.getMessage()),
          details);
    }
  }

  private static String details(Invocation invocation, ExitStatus status, String stderr) {
    String details = "%s, %s".formatted(describe(invocation), status);
    return stderr.isEmpty() ? details : details + ", stderr " + Quoted.of(stderr);
  }

  /** An error without any text gets these details. */
  private static CniException described(CniException error, String details) {
    return error.msg().isEmpty() && error.details().isEmpty()
        ? new CniException(error.code(), "", details)
        : error;
  }

  /** Such as {@code plugin /opt/cni/bin/bridge, ADD}. */
  static String describe(Invocation invocation) {
    return "plugin %s, %s"
        .formatted(
            invocation.executable(),
            invocation.environment().getOrDefault(CniEnvironment.COMMAND, "no verb"));
  }

  static String end(String stderr) {
    return stderr.length() <= MAX_TEXT
        ? stderr
        : "…" + stderr.substring(stderr.length() - MAX_TEXT);
  }

  static String start(byte[] stdout) {
    String text = new String(stdout, StandardCharsets.UTF_8);
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }
}
