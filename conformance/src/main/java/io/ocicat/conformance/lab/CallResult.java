package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import java.util.Arrays;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The outcome of a call. The methods named as statements throw {@link Mismatch} when untrue. */
public sealed interface CallResult {

  /** It ran to its end. */
  record Ended(PluginReply reply) implements CallResult {
    public int exitCode() {
      return reply.exitCode();
    }

    public byte[] stdout() {
      return reply.stdout();
    }

    public String stderr() {
      return reply.stderr();
    }
  }

  /** It did not end in time and was stopped; {@code how} says what that took. */
  record Stopped(String how) implements CallResult {}

  /** Exit code 0, whatever it printed. */
  default Ended succeeds() {
    return switch (this) {
      case Ended ended when ended.exitCode() == 0 -> ended;
      case Ended _, Stopped _ -> throw new Mismatch("exit code 0", describe());
    };
  }

  /** Success without output on stdout. */
  default void succeedsSilently() {
    if (!text(succeeds()).isBlank()) {
      throw new Mismatch("exit code 0 and nothing on stdout", describe());
    }
  }

  /** Success and exactly one JSON object on stdout. */
  default ObjectNode document() {
    return object(succeeds(), "exit code 0 and one JSON object on stdout");
  }

  /** Exactly one JSON object on stdout, whatever the exit code. */
  default ObjectNode printed() {
    String expected = "one JSON object on stdout";
    return switch (this) {
      case Ended ended -> object(ended, expected);
      case Stopped _ -> throw new Mismatch(expected, describe());
    };
  }

  /** Failure as the protocol requires: a non-zero exit code and one error object on stdout. */
  default ErrorObject fails() {
    String expected = "an exit code other than 0 and one error object on stdout";
    return switch (this) {
      case Ended ended when ended.exitCode() != 0 ->
          ErrorObject.read(object(ended, expected), describe());
      case Ended _, Stopped _ -> throw new Mismatch(expected, describe());
    };
  }

  /** Failure with one of these codes. */
  default ErrorObject failsWith(int... codes) {
    String allowed =
        Arrays.stream(codes).mapToObj(Integer::toString).collect(Collectors.joining(" or "));
    ErrorObject error;
    try {
      error = fails();
    } catch (Mismatch e) {
      throw new Mismatch(e.expected() + " with code " + allowed, e.actual());
    }
    if (Arrays.stream(codes).noneMatch(code -> code == error.code())) {
      throw new Mismatch("an error with code " + allowed, describe());
    }
    return error;
  }

  /** Either success or a proper failure: no crash, no hanging, no partial documents. */
  default void isInProtocol() {
    if (this instanceof Ended ended && ended.exitCode() == 0) {
      if (ended.stdout().length > 0) {
        document();
      }
    } else {
      fails();
    }
  }

  /** A description for people. */
  default String describe() {
    return switch (this) {
      case Stopped(String how) -> "no end: " + how;
      case Ended ended -> {
        String stderr = ended.stderr().strip();
        yield "exit code %d, stdout %s%s"
            .formatted(
                ended.exitCode(),
                brief(text(ended).strip()),
                stderr.isEmpty() ? "" : ", stderr " + brief(stderr));
      }
    };
  }

  private static ObjectNode object(Ended ended, String expected) {
    JsonNode document;
    try {
      document = CniJson.parse(ended.stdout());
    } catch (CniException e) {
      throw new Mismatch(expected + " (" + e.getMessage() + ")", ended.describe());
    }
    if (document instanceof ObjectNode object) {
      return object;
    }
    throw new Mismatch(expected, ended.describe());
  }

  private static String text(Ended ended) {
    return new String(ended.stdout(), UTF_8);
  }

  private static String brief(String text) {
    if (text.isEmpty()) {
      return "empty";
    }
    String line = text.startsWith("{") ? text.replaceAll("\\n\\s*", " ") : text;
    int most = 600;
    String start = line.length() <= most ? line : line.substring(0, most) + "…";
    return Shell.isPresentable(start) && !start.contains("\n") ? start : Quoted.of(start);
  }
}
