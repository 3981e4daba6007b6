package io.ocicat.cli.demo;

import tools.jackson.databind.JsonNode;

/**
 * A pod that the demo ran.
 *
 * @param trace its steps, the whole first
 */
record DemoPod(String name, String id, String address, String netns, JsonNode trace) {
  /**
   * @param json as {@code ocicat pod run --trace --json} prints it
   */
  static DemoPod read(String name, JsonNode json) {
    return new DemoPod(
        name,
        json.path("id").asString(),
        json.path("ips").path(0).asString(),
        json.path("netns").asString(),
        json.path("trace"));
  }

  /** How long it took. */
  long nanos() {
    return trace.path(0).path("nanos").asLong();
  }
}
