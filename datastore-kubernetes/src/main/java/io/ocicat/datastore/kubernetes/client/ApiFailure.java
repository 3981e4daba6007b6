package io.ocicat.datastore.kubernetes.client;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.json.StoredJson;
import java.net.HttpURLConnection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An error response of the API: the one place where HTTP's codes and the API's reasons become our
 * exceptions.
 *
 * @param status the API's own description; empty when a proxy or another server answered
 */
public record ApiFailure(
    ApiAccess access, ApiCall call, int code, Duration retryAfter, ObjectNode status) {
  private static final long MAX_RETRY_AFTER = 60;
  private static final int LONGEST_TEXT = 300;

  public static ApiFailure of(
      ApiAccess access, ApiCall call, HttpResponse<?> response, String text) {
    Duration wait =
        response
            .headers()
            .firstValue("Retry-After")
            .filter(value -> value.matches("\\d{1,5}"))
            .map(value -> Duration.ofSeconds(Math.min(MAX_RETRY_AFTER, Long.parseLong(value))))
            .orElse(Duration.ZERO);
    return new ApiFailure(access, call, response.statusCode(), wait, parse(text));
  }

  /** An error in the middle of a watch. */
  public static ApiFailure ofStatus(ApiAccess access, ApiCall call, ObjectNode status) {
    int code = status.path("code").asInt(HttpURLConnection.HTTP_INTERNAL_ERROR);
    return new ApiFailure(access, call, code, Duration.ZERO, status);
  }

  private static ObjectNode parse(String text) {
    try {
      return StoredJson.parseObject(text);
    } catch (IllegalArgumentException _) {
      String line = text.lines().findFirst().orElse("").strip();
      return Json.object().put("message", line.substring(0, Math.min(line.length(), LONGEST_TEXT)));
    }
  }

  private String reason() {
    return status.path("reason").asString("");
  }

  private String message() {
    String message = status.path("message").asString("").lines().findFirst().orElse("");
    return message.isEmpty() ? "HTTP " + code : message;
  }

  /** 429 says that nothing was done; the others may come after a partial write. */
  public boolean mayBeRepeated() {
    return code == 429 || (call.verb().isRead() && code >= 500 && code != 501);
  }

  /** Whether the API does not know the resource type, as opposed to the object. */
  public boolean isUnknownResource() {
    return code == HttpURLConnection.HTTP_NOT_FOUND
        && !call.path().group().isEmpty()
        && status.at("/details/name").asString("").isEmpty();
  }

  public DatastoreException exception() {
    return switch (code) {
      case 401 -> unauthorized();
      case 403 -> forbidden();
      case 404 -> missing();
      case 409 -> conflict();
      case 410 ->
          new CompactedException(
              "the Kubernetes API no longer knows the history of %s: list again"
                  .formatted(call.subject()));
      case 400, 413, 415, 422 -> invalid();
      default -> unavailable();
    };
  }

  private DatastoreException unauthorized() {
    String expired =
        ServiceAccountToken.expiry(access.token()).map(end -> ", which ends at " + end).orElse("");
    String what = access.token().isEmpty() ? "the certificate" : "the token" + expired;
    return new UnauthorizedException(
        "connection is unauthorized: the Kubernetes API at %s does not accept %s of %s: renew it%s"
            .formatted(
                access.server(),
                what,
                access.origin(),
                access.token().isEmpty()
                    ? ""
                    : " (calico/node does so, and `ocicat install --calico --renew`)"));
  }

  private DatastoreException forbidden() {
    String where =
        call.path().namespace().isEmpty() ? "" : " in namespace " + call.path().namespace();
    return new UnauthorizedException(
        "connection is unauthorized: the Kubernetes API does not permit %s: allow \"%s\" on %s%s to the role of %s"
            .formatted(
                call.subject(),
                call.verb().permission(),
                call.path().permission(),
                where,
                user().isEmpty() ? access.origin() : user()));
  }

  /** The API's message begins with {@code … is forbidden: User "system:…" cannot …}. */
  private String user() {
    String message = message();
    int from = message.indexOf("User \"");
    int to = from < 0 ? -1 : message.indexOf('"', from + 6);
    return to < 0 ? "" : message.substring(from + 6, to);
  }

  private DatastoreException missing() {
    String kind = status.at("/details/kind").asString("");
    String name = status.at("/details/name").asString("");
    if (kind.equals("namespaces") && !call.path().resource().equals("namespaces")) {
      return new InvalidException(
          "%s cannot be written: Kubernetes has no namespace %s: create it first"
              .formatted(call.subject(), name));
    }
    if (name.isEmpty() && !call.path().group().isEmpty()) {
      String unknown =
          "the Kubernetes API at %s does not know %s: "
              .formatted(access.server(), call.path().permission());
      String group = call.path().group();
      if (group.endsWith("k8s.io")) {
        // Kubernetes' own kinds are optional: without a definition there are none.
        return new UnsupportedException(unknown + "is what defines them installed?");
      }
      return new UnavailableException(
          unknown
              + (group.endsWith("projectcalico.org")
                  ? "install the resource definitions (ocicat crds | kubectl apply -f -)"
                  : "is what defines them installed?"),
          null);
    }
    if (name.isEmpty() && status.path("kind").isMissingNode()) {
      return new UnavailableException(
          "%s is not a Kubernetes API (%s): correct the server's address"
              .formatted(access.server(), message()),
          null);
    }
    return new NotFoundException(call.subject() + " does not exist");
  }

  private DatastoreException conflict() {
    if (reason().equals("AlreadyExists")) {
      return new ExistsException(
          "%s exists already: update it, or choose another name".formatted(call.subject()));
    }
    return message().contains("UID in precondition") ? gone() : changed();
  }

  private NotFoundException gone() {
    return new NotFoundException(
        "%s does not exist: it was deleted, and another has its name".formatted(call.subject()));
  }

  private ConflictException changed() {
    return new ConflictException(
        "%s has been changed by somebody else: read it again and repeat the change"
            .formatted(call.subject()));
  }

  private DatastoreException invalid() {
    List<String> fields =
        status
            .at("/details/causes")
            .valueStream()
            .map((JsonNode cause) -> cause.path("field").asString(""))
            .distinct()
            .toList();
    if (fields.equals(List.of("metadata.uid"))) {
      return gone();
    }
    if (fields.equals(List.of("metadata.resourceVersion"))) {
      return changed();
    }
    return new InvalidException(
        "the Kubernetes API refuses %s: %s".formatted(call.subject(), message()));
  }

  private DatastoreException unavailable() {
    boolean unknown = !call.verb().isRead() && code >= 500 && code != 501 && code != 503;
    String text =
        "the Kubernetes API at %s failed with %s: %s (HTTP %d)"
            .formatted(access.server(), call.subject(), message(), code);
    return unknown
        ? UnavailableException.outcomeUnknown(
            text + ", it is not known whether it was written: read before repeating it", null)
        : new UnavailableException(text + ", try again later", null);
  }
}
