package io.ocicat.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import tools.jackson.databind.JsonNode;

/** The outcome of a plugin call. */
public record Ran(String what, int exitCode, String stdout, String stderr) {
  /** It succeeded; the result, or a missing node after verbs that print none. */
  public JsonNode ok() {
    assertThat(exitCode).as("%s\n%s\n%s", what, stdout, stderr).isZero();
    return stdout.isBlank() ? Json.object().path("nothing") : CniJson.parse(stdout);
  }

  /** It failed; the error it printed. */
  public CniException error() {
    assertThat(exitCode).as("%s\n%s\n%s", what, stdout, stderr).isNotZero();
    return CniException.fromJson(CniJson.parse(stdout));
  }
}
