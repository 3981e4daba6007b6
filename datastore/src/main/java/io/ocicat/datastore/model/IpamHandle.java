package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * A typed view of a handle: the number of addresses per block that were assigned to one owner.
 * Counts may be too high at times; the blocks are authoritative.
 */
public record IpamHandle(String id, Map<IpPrefix, Integer> counts, boolean deleted) {
  public IpamHandle {
    counts = Collections.unmodifiableMap(new TreeMap<>(counts));
  }

  public static IpamHandle of(Resource resource) {
    return resource.read(
        json -> {
          Map<IpPrefix, Integer> counts = new TreeMap<>();
          json.path("block")
              .forEachEntry(
                  (cidr, count) ->
                      counts.put(
                          IpPrefix.tryParse(cidr).orElseThrow(() -> corrupt(resource, cidr)),
                          count.asInt(0)));
          return new IpamHandle(
              resource.key().name(), counts, json.path("deleted").asBoolean(false));
        });
  }

  private static CorruptException corrupt(Resource resource, String cidr) {
    return new CorruptException(
        "%s cannot be used: \"%s\" is not a block: delete that entry"
            .formatted(resource.describe(), cidr));
  }

  /** Returns the handle without its count for a block. */
  public IpamHandle without(IpPrefix block) {
    Map<IpPrefix, Integer> others = new TreeMap<>(counts);
    others.remove(block);
    return new IpamHandle(id, others, deleted);
  }

  /** Returns a new resource with this content. */
  public Resource toResource() {
    return Resource.stored(new ResourceKey.Handle(id), write(Json.object()), "");
  }

  /** Returns the resource with this content; unknown members stay. */
  public Resource applyTo(Resource read) {
    return read.replace(this::write);
  }

  private ObjectNode write(ObjectNode json) {
    ObjectNode block = json.putObject("block");
    counts.forEach((cidr, count) -> block.put(cidr.toString(), count));
    json.put("deleted", deleted);
    return json;
  }
}
