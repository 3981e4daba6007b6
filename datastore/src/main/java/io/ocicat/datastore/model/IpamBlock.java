package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * A typed view of an IPAM block.
 *
 * @param affinity its owner, as in {@code host:node-1}; null for none
 * @param claimTime when it was claimed, in RFC 3339
 * @param allocations for each address, by its ordinal, the index of its attributes, or {@link
 *     #FREE}
 * @param unallocated the ordinals that are free, the next one to assign first
 * @param sequenceNumber rises with every write; starts with nanoseconds since 1970
 * @param allocatedAt for each ordinal in use, the sequence number before it was assigned
 * @param deleted whether it is about to be deleted, where that takes two steps
 */
public record IpamBlock(
    IpPrefix cidr,
    @Nullable String affinity,
    @Nullable String claimTime,
    List<Integer> allocations,
    List<Integer> unallocated,
    List<Attributes> attributes,
    long sequenceNumber,
    Map<Integer, Long> allocatedAt,
    boolean deleted) {
  /** An unassigned address. */
  public static final int FREE = -1;

  private static final String RELEASED_AT = "releasedAt";

  public IpamBlock {
    allocations = List.copyOf(allocations);
    unallocated = List.copyOf(unallocated);
    attributes = List.copyOf(attributes);
    // A sorted map is copied in one pass.
    allocatedAt = Collections.unmodifiableSortedMap(new TreeMap<>(allocatedAt));
  }

  /**
   * The owner of addresses.
   *
   * @param handle the handle's id; null for none
   * @param owner the current owner's attributes
   * @param alternate the second owner, while a virtual machine migrates
   * @param others members that newer versions know; an address in cooldown has one, and nothing
   *     else
   */
  public record Attributes(
      @Nullable String handle,
      Map<String, String> owner,
      Map<String, String> alternate,
      Map<String, JsonNode> others) {
    public Attributes {
      owner = Collections.unmodifiableMap(new TreeMap<>(owner));
      alternate = Collections.unmodifiableMap(new TreeMap<>(alternate));
      others = Map.copyOf(others);
    }

    public Attributes(@Nullable String handle, Map<String, String> owner) {
      this(handle, owner, Map.of(), Map.of());
    }

    /** Attributes of an address in cooldown, released at this time. */
    public static Attributes released(Instant when) {
      return new Attributes(
          null, Map.of(), Map.of(), Map.of(RELEASED_AT, StringNode.valueOf(when.toString())));
    }

    /** Whether the address was released and is in cooldown. */
    public boolean isCoolingDown() {
      JsonNode time = others.get(RELEASED_AT);
      return time != null && !time.isNull();
    }

    /** When the address was released; long ago when the time cannot be read. */
    public Instant releasedAt() {
      JsonNode time = others.get(RELEASED_AT);
      try {
        return time == null ? Instant.EPOCH : OffsetDateTime.parse(time.asString("")).toInstant();
      } catch (DateTimeParseException _) {
        return Instant.EPOCH;
      }
    }
  }

  /**
   * Reads a block; Go's nulls become empty.
   *
   * @throws CorruptException when it contradicts itself
   */
  public static IpamBlock of(Resource resource) {
    try {
      return resource.read(IpamBlock::read);
    } catch (IllegalArgumentException | JacksonException e) {
      throw new CorruptException(
          "%s cannot be used: %s: repair it".formatted(resource.describe(), e.getMessage()), e);
    }
  }

  private static IpamBlock read(ObjectNode json) {
    List<Attributes> attributes = new ArrayList<>();
    for (JsonNode item : json.path("attributes").values()) {
      attributes.add(readAttributes(item));
    }
    List<Integer> allocations = new ArrayList<>();
    for (JsonNode item : json.path("allocations").values()) {
      int index = item.isNull() ? FREE : item.intValue();
      if (index < FREE || index >= attributes.size()) {
        throw new IllegalArgumentException(
            "allocations[%d] is %d and there are %d attributes"
                .formatted(allocations.size(), index, attributes.size()));
      }
      allocations.add(index);
    }
    List<Integer> unallocated = new ArrayList<>();
    for (JsonNode item : json.path("unallocated").values()) {
      unallocated.add(item.intValue());
    }
    Map<Integer, Long> allocatedAt = new TreeMap<>();
    json.path("sequenceNumberForAllocation")
        .forEachEntry(
            (ordinal, number) -> allocatedAt.put(Integer.parseInt(ordinal), number.longValue()));
    return new IpamBlock(
        IpPrefix.parse(json.path("cidr").asString("")),
        textOrNull(json.path("affinity")),
        textOrNull(json.path("affinity_claim_time")),
        allocations,
        unallocated,
        attributes,
        json.path("sequenceNumber").asLong(0),
        allocatedAt,
        json.path("deleted").asBoolean(false));
  }

  private static Attributes readAttributes(JsonNode json) {
    Map<String, JsonNode> others = new TreeMap<>();
    json.forEachEntry(
        (name, value) -> {
          if (!List.of("handle_id", "secondary", "alternateOwnerAttrs").contains(name)) {
            others.put(name, value.deepCopy());
          }
        });
    return new Attributes(
        textOrNull(json.path("handle_id")),
        texts(json.path("secondary")),
        texts(json.path("alternateOwnerAttrs")),
        others);
  }

  private static @Nullable String textOrNull(JsonNode value) {
    return value.isString() && !value.stringValue().isEmpty() ? value.stringValue() : null;
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new TreeMap<>();
    object.forEachEntry((name, value) -> texts.put(name, value.asString("")));
    return texts;
  }

  /** Returns a new resource with this content. */
  public Resource toResource() {
    return Resource.stored(new ResourceKey.Block(cidr), write(Json.object()), "");
  }

  /** Returns the resource with this content; unknown members stay. */
  public Resource applyTo(Resource read) {
    return read.replace(this::write);
  }

  private ObjectNode write(ObjectNode json) {
    json.put("cidr", cidr.toString());
    json.put("affinity", affinity);
    if (claimTime == null) {
      json.remove("affinity_claim_time");
    } else {
      json.put("affinity_claim_time", claimTime);
    }
    ArrayNode indexes = json.putArray("allocations");
    for (int index : allocations) {
      if (index == FREE) {
        indexes.addNull();
      } else {
        indexes.add(index);
      }
    }
    ArrayNode free = json.putArray("unallocated");
    unallocated.forEach(free::add);
    ArrayNode records = json.putArray("attributes");
    attributes.forEach(item -> write(item, records.addObject()));
    json.put("sequenceNumber", sequenceNumber);
    ObjectNode numbers = json.putObject("sequenceNumberForAllocation");
    allocatedAt.forEach((ordinal, number) -> numbers.put(String.valueOf(ordinal), number));
    json.put("deleted", deleted);
    return json;
  }

  private static void write(Attributes attributes, ObjectNode json) {
    if (attributes.handle() != null) {
      json.put("handle_id", Objects.requireNonNull(attributes.handle()));
    }
    put(json, "secondary", attributes.owner());
    put(json, "alternateOwnerAttrs", attributes.alternate());
    attributes.others().forEach((name, value) -> json.set(name, value.deepCopy()));
  }

  private static void put(ObjectNode json, String name, Map<String, String> texts) {
    if (!texts.isEmpty()) {
      ObjectNode object = json.putObject(name);
      texts.forEach(object::put);
    }
  }
}
