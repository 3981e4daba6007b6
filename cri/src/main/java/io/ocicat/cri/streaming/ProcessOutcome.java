package io.ocicat.cri.streaming;

import io.ocicat.base.json.Json;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** How a process ended, as the error channel says it. */
sealed interface ProcessOutcome {
  /** It ended by itself. */
  record Exited(int code) implements ProcessOutcome {}

  /** It could not be run. */
  record Failed(String message) implements ProcessOutcome {}

  /**
   * A {@code metav1.Status} since version 4 of the protocol; before that plain text, and nothing
   * for success.
   */
  default byte[] message(boolean structured) {
    return switch (this) {
      case Exited(int code) when code == 0 -> structured ? bytes(status("Success")) : new byte[0];
      case Exited(int code) -> {
        String text = "command terminated with non-zero exit code " + code;
        ObjectNode status = status("Failure");
        status.put("message", text).put("reason", "NonZeroExitCode");
        status
            .putObject("details")
            .putArray("causes")
            .addObject()
            .put("reason", "ExitCode")
            .put("message", Integer.toString(code));
        yield structured ? bytes(status) : text.getBytes(StandardCharsets.UTF_8);
      }
      case Failed(String message) -> {
        ObjectNode status = status("Failure");
        status.put("message", message).put("reason", "InternalError").put("code", 500);
        status.putObject("details").putArray("causes").addObject().put("message", message);
        yield structured ? bytes(status) : message.getBytes(StandardCharsets.UTF_8);
      }
    };
  }

  private static ObjectNode status(String word) {
    ObjectNode status = Json.object();
    status.putObject("metadata");
    return status.put("status", word);
  }

  private static byte[] bytes(ObjectNode status) {
    return Json.compactBytes(status);
  }
}
