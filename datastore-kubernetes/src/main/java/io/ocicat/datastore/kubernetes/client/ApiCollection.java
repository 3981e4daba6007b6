package io.ocicat.datastore.kubernetes.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A collection of API objects of one kind, listed page by page.
 *
 * @param selector a label selector; empty for all
 */
public record ApiCollection(ApiPath path, String selector, String subject) {
  /** As in Calico; a page of full blocks has ten megabytes. */
  private static final int PAGE = 500;

  /** One page. */
  public record Part(String revision, List<ObjectNode> items, String next) {
    public Part {
      items = List.copyOf(items);
    }
  }

  public Part read(ApiClient api, int limit, @Nullable String next) {
    int wanted = limit == 0 ? PAGE : Math.min(limit, PAGE);
    ObjectNode answer =
        api.call(
            ApiCall.list(path, subject)
                .with("labelSelector", selector)
                .with("limit", String.valueOf(wanted))
                .with("continue", next == null ? "" : next));
    List<ObjectNode> items = new ArrayList<>();
    for (JsonNode item : answer.path("items")) {
      if (item instanceof ObjectNode object) {
        items.add(object);
      }
    }
    return new Part(
        JsonTrees.revision(answer), items, JsonTrees.text(JsonTrees.metadata(answer), "continue"));
  }

  public CollectionWatch.Source changes(String revision, CollectionWatch.Translation translation) {
    return new CollectionWatch.Source(
        ApiCall.watch(path, "the watch of " + subject).with("labelSelector", selector),
        revision,
        translation);
  }
}
