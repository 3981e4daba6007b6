package io.ocicat.testkit;

import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The outcome of a finished command: exit code and output. */
public record Output(List<String> argv, int exitCode, String stdout, String stderr) {

  private static final JsonMapper JSON = JsonMapper.shared();

  public Output {
    argv = List.copyOf(argv);
  }

  public boolean succeeded() {
    return exitCode == 0;
  }

  /**
   * Standard output as JSON. Empty output counts as an empty array, because iproute2 prints it so.
   */
  public JsonNode json() {
    if (stdout.isBlank()) {
      return JSON.createArrayNode();
    }
    try {
      return JSON.readTree(stdout);
    } catch (JacksonException e) {
      throw new TestkitException("not JSON (%s):\n%s".formatted(e.getOriginalMessage(), this), e);
    }
  }

  @Override
  public String toString() {
    return "%s\nexit code %d\n%s%s"
        .formatted(
            String.join(" ", argv), exitCode, block("stdout", stdout), block("stderr", stderr));
  }

  static String block(String title, String text) {
    return text.isBlank() ? "" : title + ":\n" + text.stripTrailing().indent(2);
  }
}
