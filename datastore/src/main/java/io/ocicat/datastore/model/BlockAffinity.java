package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Arrays;

/** A typed view of a block affinity. */
public record BlockAffinity(ResourceKey.Affinity key, State state, boolean deleted) {

  /** The progress of a claim. Only a confirmed one may be relied on. */
  public enum State {
    /** The owner is claiming the block. */
    PENDING("pending"),
    /** The owner has the block, and the block says so. */
    CONFIRMED("confirmed"),
    /** The owner is releasing the block. */
    PENDING_DELETION("pendingDeletion"),
    /** Very old data; used like a confirmed affinity, claimed again like a pending one. */
    UNKNOWN("");

    private final String text;

    State(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public static BlockAffinity of(Resource resource) {
    String text = resource.text("state").orElse("");
    return new BlockAffinity(
        (ResourceKey.Affinity) resource.key(),
        Arrays.stream(State.values())
            .filter(state -> state.text.equals(text))
            .findFirst()
            .orElse(State.UNKNOWN),
        resource.read(json -> json.path("deleted").asBoolean(false)));
  }

  /** Returns a new resource with this content. */
  public static Resource create(ResourceKey.Affinity key, State state) {
    return Resource.of(key, Json.object().put("state", state.text).put("deleted", false));
  }

  /** Returns the resource with another state. */
  public static Resource changed(Resource read, State state) {
    return read.edit(json -> json.put("state", state.text).put("deleted", false));
  }
}
