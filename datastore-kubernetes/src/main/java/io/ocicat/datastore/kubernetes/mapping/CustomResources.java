package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiCollection;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Maps resources to custom resources.
 *
 * <p>Blocks, affinities and handles are deleted in two steps, as in Calico: first they are marked,
 * if they are unchanged, and from then on everybody treats them as deleted; then they are removed.
 * A process that finds one that is only marked removes it.
 */
public final class CustomResources implements ResourceMapping {
  /** How often an unconditional delete is retried after conflicts. */
  private static final int ATTEMPTS = 20;

  private final ApiClient api;
  private final CustomLayout layout;

  public CustomResources(ApiClient api, ApiGroup group) {
    this.api = api;
    this.layout = new CustomLayout(group);
  }

  @Override
  public Resource create(Resource resource) {
    ApiPath collection = layout.path(resource.key()).named("");
    ApiCall call = ApiCall.create(collection, layout.encode(resource), resource.describe());
    try {
      return layout.decode(resource.kind(), api.call(call));
    } catch (ExistsException e) {
      if (!IpamSpec.isMarkedFirst(resource.kind()) || find(resource.key()).isPresent()) {
        throw e;
      }
    }
    // It was only marked, and is removed by now.
    return layout.decode(resource.kind(), api.call(call));
  }

  @Override
  public Resource update(Resource resource) {
    ApiCall call =
        ApiCall.update(layout.path(resource.key()), layout.encode(resource), resource.describe());
    return layout.decode(resource.kind(), api.call(call));
  }

  @Override
  public Resource get(ResourceKey key) {
    Resource found = layout.decode(key.kind(), find(key).orElseThrow(() -> notFound(key)));
    if (!found.key().equals(key)) {
      // Of handles that differ only in case the API can hold one.
      throw new NotFoundException(
          "%s does not exist: its place is taken by %s"
              .formatted(key.describe(), found.describe()));
    }
    return found;
  }

  /** Finds the object if it exists. One that is only marked as deleted is removed here. */
  private Optional<ObjectNode> find(ResourceKey key) {
    ObjectNode custom;
    try {
      custom = api.call(ApiCall.get(layout.path(key), key.describe()));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
    if (isMarked(key.kind(), custom)) {
      remove(key, custom);
      return Optional.empty();
    }
    return Optional.of(custom);
  }

  private static boolean isMarked(Kind kind, ObjectNode custom) {
    return IpamSpec.isMarkedFirst(kind) && IpamSpec.isMarked(custom.path("spec"));
  }

  private static NotFoundException notFound(ResourceKey key) {
    return new NotFoundException(key.describe() + " does not exist");
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    for (int attempt = 1; ; attempt++) {
      ObjectNode custom = find(key).orElseThrow(() -> notFound(key));
      if (revision != null && !JsonTrees.revision(custom).equals(revision)) {
        throw new ConflictException(
            "%s has been changed by somebody else: read it again and repeat the change"
                .formatted(key.describe()));
      }
      try {
        if (IpamSpec.isMarkedFirst(key.kind())) {
          remove(key, mark(key, custom));
        } else {
          ObjectNode condition = sameObject(custom);
          condition.put("resourceVersion", JsonTrees.revision(custom));
          api.call(ApiCall.delete(layout.path(key), conditions(condition), key.describe()));
        }
        return removed(key, custom);
      } catch (ConflictException e) {
        if (revision != null || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Marks the object as it was read, without reading it again, if it is unchanged since. */
  @Override
  public Resource delete(Resource read) {
    ResourceKey key = read.key();
    if (!IpamSpec.isMarkedFirst(key.kind())) {
      return delete(key, read.revision());
    }
    try {
      remove(key, mark(key, layout.encode(read)));
      return read;
    } catch (ConflictException _) {
      // Changed, or marked by a process that died before removing it.
      return delete(key, read.revision());
    }
  }

  private ObjectNode mark(ResourceKey key, ObjectNode custom) {
    ObjectNode marked = custom.deepCopy();
    IpamSpec.mark(marked.withObject("/spec"), true, key.kind(), layout.group());
    return api.call(ApiCall.update(layout.path(key), marked, key.describe()));
  }

  /** It already counts as deleted: when this fails, the next process that sees it removes it. */
  private void remove(ResourceKey key, ObjectNode marked) {
    try {
      api.call(ApiCall.delete(layout.path(key), conditions(sameObject(marked)), key.describe()));
    } catch (DatastoreException _) {
      // See above.
    }
  }

  private static ObjectNode sameObject(ObjectNode custom) {
    return Json.object().put("uid", JsonTrees.text(JsonTrees.metadata(custom), "uid"));
  }

  private static ObjectNode conditions(ObjectNode preconditions) {
    ObjectNode options = Json.object().put("apiVersion", "v1").put("kind", "DeleteOptions");
    options.set("preconditions", preconditions);
    return options;
  }

  /** An unreadable object can still be deleted. */
  private Resource removed(ResourceKey key, ObjectNode custom) {
    try {
      return layout.decode(key.kind(), custom);
    } catch (CorruptException _) {
      return Resource.stored(key, Json.object(), JsonTrees.revision(custom));
    }
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ApiCollection.Part part = collection(query).read(api, limit, next);
    List<Resource> items = new ArrayList<>();
    List<ResourcePage.Unreadable> unreadable = new ArrayList<>();
    for (ObjectNode custom : part.items()) {
      if (!isMarked(query.kind(), custom)) {
        try {
          Resource resource = layout.decode(query.kind(), custom);
          if (query.matches(resource.key())) {
            items.add(resource);
          }
        } catch (CorruptException e) {
          unreadable.add(
              new ResourcePage.Unreadable(
                  key(query.kind(), custom), String.valueOf(e.getMessage())));
        }
      }
    }
    return new ResourcePage(
        part.revision(), items, unreadable, part.next().isEmpty() ? null : part.next());
  }

  @Override
  public List<CollectionWatch.Source> changes(ResourceQuery query, String revision) {
    return List.of(
        collection(query).changes(revision, (change, custom) -> translate(query, change, custom)));
  }

  private ApiCollection collection(ResourceQuery query) {
    ApiPath path = layout.collection(query.kind());
    String subject = "the list of " + query.kind().plural();
    return switch (query) {
      case ResourceQuery.Named named ->
          new ApiCollection(
              named.namespace() == null ? path : path.in(named.namespace()), "", subject);
      case ResourceQuery.Affinities affinities ->
          new ApiCollection(path, selector(affinities), subject);
      case ResourceQuery.Blocks _, ResourceQuery.Handles _ -> new ApiCollection(path, "", subject);
    };
  }

  /**
   * Only for a host's own query for each address, because very old affinities have no labels until
   * they are written again.
   */
  private static String selector(ResourceQuery.Affinities query) {
    if (query.host() == null || query.type() == null) {
      return "";
    }
    String selector =
        CustomNames.HOST_HASH
            + "="
            + CustomNames.hostHash(query.host())
            + ","
            + CustomNames.AFFINITY_TYPE
            + "="
            + query.type().text();
    return query.version() == null
        ? selector
        : selector + "," + CustomNames.IP_VERSION + "=" + CustomNames.version(query.version());
  }

  /** Null for an object whose name is not valid. */
  private @Nullable ResourceKey key(Kind kind, ObjectNode custom) {
    try {
      return layout.key(kind, custom);
    } catch (CorruptException _) {
      return null;
    }
  }

  private Optional<ResourceEvent> translate(
      ResourceQuery query, CollectionWatch.Change change, ObjectNode custom) {
    ResourceKey key = key(query.kind(), custom);
    if (key == null || !query.matches(key)) {
      return Optional.empty();
    }
    String revision = JsonTrees.revision(custom);
    if (isMarked(query.kind(), custom)) {
      // Marking it was the deletion; its removal is not reported.
      return change == CollectionWatch.Change.MODIFIED
          ? Optional.of(new ResourceEvent.Deleted(key, revision, null))
          : Optional.empty();
    }
    if (change == CollectionWatch.Change.DELETED) {
      return Optional.of(new ResourceEvent.Deleted(key, revision, removed(key, custom)));
    }
    try {
      Resource resource = layout.decode(query.kind(), custom);
      return Optional.of(
          change == CollectionWatch.Change.ADDED
              ? new ResourceEvent.Added(resource)
              : new ResourceEvent.Modified(resource));
    } catch (CorruptException e) {
      return Optional.of(
          new ResourceEvent.Unreadable(key, revision, String.valueOf(e.getMessage())));
    }
  }
}
