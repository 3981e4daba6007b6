package io.ocicat.cli.store;

import io.ocicat.datastore.resource.Resource;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares a copy with its original. An API server gives every object its own uid and time, adds
 * the defaults of its schemas and drops what is empty: there none of that is a difference.
 * Elsewhere every member counts.
 */
enum ResourceComparison {
  EXACT {
    @Override
    boolean of(Resource original, Resource copy) {
      return numbersAsTheyAre(DatastoreContents.normal(original), DatastoreContents.normal(copy));
    }
  },
  IN_KUBERNETES {
    @Override
    boolean of(Resource original, Resource copy) {
      return isIn(
          withoutOwn(DatastoreContents.normal(original)),
          withoutOwn(DatastoreContents.normal(copy)));
    }
  };

  private static final List<String> OWN =
      List.of(
          "uid",
          "creationTimestamp",
          "resourceVersion",
          "generation",
          "selfLink",
          "managedFields",
          "ownerReferences");

  abstract boolean of(Resource original, Resource copy);

  private static ObjectNode withoutOwn(ObjectNode document) {
    if (document.get("metadata") instanceof ObjectNode metadata) {
      metadata.remove(OWN);
    }
    return document;
  }

  /** Equal, whatever Java type a number was read into. */
  private static boolean numbersAsTheyAre(JsonNode one, JsonNode other) {
    return one.equals(
        (a, b) ->
            a.equals(b)
                    || (a.isNumber()
                        && b.isNumber()
                        && a.decimalValue().compareTo(b.decimalValue()) == 0)
                ? 0
                : 1,
        other);
  }

  /** Whether everything wanted is there; more may be. */
  private static boolean isIn(JsonNode wanted, JsonNode has) {
    if (wanted instanceof ObjectNode members) {
      for (Map.Entry<String, JsonNode> member : members.properties()) {
        JsonNode found = has.path(member.getKey());
        if (found.isMissingNode() ? !isEmpty(member.getValue()) : !isIn(member.getValue(), found)) {
          return false;
        }
      }
      return has.isObject();
    }
    if (wanted.isArray()) {
      if (!has.isArray() || has.size() != wanted.size()) {
        return false;
      }
      for (int i = 0; i < wanted.size(); i++) {
        if (!isIn(wanted.get(i), has.get(i))) {
          return false;
        }
      }
      return true;
    }
    return numbersAsTheyAre(wanted, has);
  }

  private static boolean isEmpty(JsonNode value) {
    return value.isNull() || (value.isContainer() && value.isEmpty());
  }
}
