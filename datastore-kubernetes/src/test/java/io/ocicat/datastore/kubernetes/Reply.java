package io.ocicat.datastore.kubernetes;

import io.ocicat.base.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** A response of the test API server. */
record Reply(int code, ObjectNode body) {

  static Reply ok(ObjectNode body) {
    return new Reply(200, body);
  }

  static Reply status(int code, String reason, String message) {
    return new Reply(
        code,
        Json.object()
            .put("kind", "Status")
            .put("apiVersion", "v1")
            .put("status", code < 300 ? "Success" : "Failure")
            .put("message", message)
            .put("reason", reason)
            .put("code", code));
  }

  Reply about(String kind, String name) {
    ObjectNode copy = body.deepCopy();
    copy.putObject("details").put("name", name).put("kind", kind);
    return new Reply(code, copy);
  }

  Reply because(String field) {
    ObjectNode copy = body.deepCopy();
    copy.putObject("details").putArray("causes").addObject().put("field", field);
    return new Reply(code, copy);
  }

  static Reply notFound(Target target) {
    return status(
            404, "NotFound", "%s \"%s\" not found".formatted(target.collection(), target.name()))
        .about(target.resource(), target.name());
  }

  /** For an unknown path. */
  static Reply unknown() {
    return status(404, "NotFound", "the server could not find the requested resource");
  }

  static Reply conflict(Target target, String why) {
    return status(
            409,
            "Conflict",
            "Operation cannot be fulfilled on %s \"%s\": %s"
                .formatted(target.collection(), target.name(), why))
        .about(target.resource(), target.name());
  }

  static Reply gone() {
    return status(410, "Expired", "too old resource version");
  }
}
