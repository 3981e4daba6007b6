package io.ocicat.datastore.model;

import io.ocicat.datastore.json.Json;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Arrays;

/** A view of an affinity. */
public record BlockAffinity(ResourceKey.Affinity key, State state, boolean deleted) {

  /** How far the owner has come. Only a confirmed one may be relied on. */
  public enum State {
    /** It wants the block. */
    PENDING("pending"),
    /** It owns the block, and the block says so. */
    CONFIRMED("confirmed"),
    /** It gives the block up. */
    PENDING_DELETION("pendingDeletion"),
    /** Of very old data; to be used like a confirmed one, to be claimed anew like a pending one. */
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

  /** A resource with this content, to be created. */
  public static Resource create(ResourceKey.Affinity key, State state) {
    return Resource.of(key, Json.object().put("state", state.text).put("deleted", false));
  }

  /** What was read, in another state. */
  public static Resource changed(Resource read, State state) {
    return read.edit(json -> json.put("state", state.text).put("deleted", false));
  }
}
