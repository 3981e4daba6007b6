package io.ocicat.datastore.kubernetes;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Executes the API's verbs on objects, with the responses of a real server. */
final class ObjectVerbs {
  private static final String CHANGED =
      "the object has been modified; please apply your changes to the latest version and try again";

  private final ObjectStore store;

  ObjectVerbs(ObjectStore store) {
    this.store = store;
  }

  Reply perform(String method, Target target, ObjectNode body) {
    synchronized (store) {
      return switch (method) {
        case "GET" -> target.name().isEmpty() ? list(target) : get(target);
        case "POST" -> create(target, body);
        case "PUT" -> replace(target, body);
        case "PATCH" -> patch(target, body);
        default -> delete(target, body);
      };
    }
  }

  private Reply get(Target target) {
    return store
        .get(target.collection(), target.key())
        .map(Reply::ok)
        .orElse(Reply.notFound(target));
  }

  private Reply create(Target target, ObjectNode body) {
    String name = JsonTrees.name(body);
    if (!JsonTrees.revision(body).isEmpty()) {
      return Reply.status(500, "", "resourceVersion should not be set on objects to be created");
    }
    String namespace = target.namespace();
    if (!namespace.isEmpty() && store.get("namespaces", namespace).isEmpty()) {
      return Reply.status(404, "NotFound", "namespaces \"%s\" not found".formatted(namespace))
          .about("namespaces", namespace);
    }
    if (!namespace.isEmpty()) {
      body.withObject("/metadata").put("namespace", namespace);
    }
    String key = Target.key(namespace, name);
    if (store.get(target.collection(), key).isPresent()) {
      return Reply.status(
              409, "AlreadyExists", "%s \"%s\" already exists".formatted(target.collection(), name))
          .about(target.resource(), name);
    }
    return new Reply(201, store.add(target.collection(), key, body));
  }

  private Reply replace(Target target, ObjectNode body) {
    Optional<ObjectNode> before = store.get(target.collection(), target.key());
    if (before.isEmpty()) {
      return Reply.notFound(target);
    }
    String uid = JsonTrees.text(JsonTrees.metadata(body), "uid");
    String is = JsonTrees.text(JsonTrees.metadata(before.get()), "uid");
    if (!uid.isEmpty() && !uid.equals(is)) {
      return Reply.conflict(
          target,
          "Precondition failed: UID in precondition: %s, UID in object meta: %s"
              .formatted(uid, is));
    }
    String revision = JsonTrees.revision(body);
    if (!revision.isEmpty() && !revision.equals(JsonTrees.revision(before.get()))) {
      return Reply.conflict(target, CHANGED);
    }
    return Reply.ok(store.replace(target.collection(), target.key(), body));
  }

  /** Both merges are the same except for lists. */
  private Reply patch(Target target, ObjectNode body) {
    Optional<ObjectNode> before = store.get(target.collection(), target.key());
    if (before.isEmpty()) {
      return Reply.notFound(target);
    }
    ObjectNode patched = before.get();
    String uid = JsonTrees.text(JsonTrees.metadata(body), "uid");
    if (!uid.isEmpty() && !uid.equals(JsonTrees.text(JsonTrees.metadata(patched), "uid"))) {
      return Reply.status(422, "Invalid", "metadata.uid: Invalid value: field is immutable")
          .because("metadata.uid");
    }
    String revision = JsonTrees.revision(body);
    if (!revision.isEmpty() && !revision.equals(JsonTrees.revision(patched))) {
      return Reply.conflict(target, CHANGED);
    }
    merge(patched, body);
    return Reply.ok(store.replace(target.collection(), target.key(), patched));
  }

  static void merge(ObjectNode into, ObjectNode patch) {
    for (Map.Entry<String, JsonNode> member : patch.properties()) {
      JsonNode value = member.getValue();
      if (value.isNull()) {
        into.remove(member.getKey());
      } else if (value instanceof ObjectNode object) {
        merge(into.withObject("/" + member.getKey().replace("~", "~0").replace("/", "~1")), object);
      } else if (member.getKey().equals("conditions")) {
        mergeConditions(into.withArray("/conditions"), value);
      } else {
        into.set(member.getKey(), value);
      }
    }
  }

  /** A strategic merge: a condition replaces the one of its type. */
  private static void mergeConditions(ArrayNode into, JsonNode patch) {
    for (JsonNode condition : patch) {
      String type = JsonTrees.text(condition, "type");
      into.removeIf(other -> JsonTrees.text(other, "type").equals(type));
      into.add(condition);
    }
  }

  private Reply delete(Target target, ObjectNode options) {
    Optional<ObjectNode> before = store.get(target.collection(), target.key());
    if (before.isEmpty()) {
      return Reply.notFound(target);
    }
    JsonNode wanted = options.path("preconditions");
    String uid = JsonTrees.text(wanted, "uid");
    String is = JsonTrees.text(JsonTrees.metadata(before.get()), "uid");
    if (!uid.isEmpty() && !uid.equals(is)) {
      return Reply.conflict(
          target,
          "Precondition failed: UID in precondition: %s, UID in object meta: %s"
              .formatted(uid, is));
    }
    String revision = JsonTrees.text(wanted, "resourceVersion");
    if (!revision.isEmpty() && !revision.equals(JsonTrees.revision(before.get()))) {
      return Reply.conflict(
          target,
          "Precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s"
              .formatted(revision, JsonTrees.revision(before.get())));
    }
    store.remove(target.collection(), target.key());
    return Reply.status(200, "", "").about(target.resource(), target.name());
  }

  /** A token contains revision and last key, as the real one does. */
  private Reply list(Target target) {
    long revision = store.revision();
    String after = "";
    if (!target.option("continue").isEmpty()) {
      String token =
          new String(
              Base64.getUrlDecoder().decode(target.option("continue")), StandardCharsets.UTF_8);
      revision = Long.parseLong(token.substring(0, token.indexOf(':')));
      after = token.substring(token.indexOf(':') + 1);
      if (store.isForgotten(revision)) {
        return Reply.gone();
      }
    }
    int limit =
        target.option("limit").isEmpty()
            ? Integer.MAX_VALUE
            : Integer.parseInt(target.option("limit"));
    ObjectNode list = Json.object().put("kind", "List").put("apiVersion", "v1");
    ObjectNode metadata = list.putObject("metadata");
    metadata.put("resourceVersion", String.valueOf(revision));
    ArrayNode items = list.putArray("items");
    List<String> keys = new ArrayList<>();
    for (Map.Entry<String, ObjectNode> entry : store.at(target.collection(), revision).entrySet()) {
      if (entry.getKey().compareTo(after) > 0
          && isWanted(target, entry.getKey(), entry.getValue())) {
        if (items.size() == limit) {
          String token = revision + ":" + keys.getLast();
          metadata.put(
              "continue",
              Base64.getUrlEncoder()
                  .withoutPadding()
                  .encodeToString(token.getBytes(StandardCharsets.UTF_8)));
          break;
        }
        items.add(entry.getValue());
        keys.add(entry.getKey());
      }
    }
    return Reply.ok(list);
  }

  static boolean isWanted(Target target, String key, ObjectNode object) {
    if (!target.namespace().isEmpty() && !key.startsWith(target.namespace() + "/")) {
      return false;
    }
    String selector = target.option("labelSelector");
    Map<String, String> labels = JsonTrees.texts(JsonTrees.metadata(object), "labels");
    return selector.isEmpty()
        || Arrays.stream(selector.split(",", -1))
            .map(term -> term.split("=", 2))
            .allMatch(term -> term[1].equals(labels.get(term[0])));
  }
}
