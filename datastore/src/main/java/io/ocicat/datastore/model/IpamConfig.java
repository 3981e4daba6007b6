package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/**
 * A typed view of IPAM's settings.
 *
 * @param strictAffinity whether only its owner may allocate addresses from a block
 * @param autoAllocateBlocks whether new blocks may be claimed
 * @param maxBlocksPerHost how many blocks a host may own; 0 for the default, 20
 * @param keepVirtualMachineAddresses whether a virtual machine keeps its address
 * @param cooldownSeconds how long a released address is kept back before it is assigned again
 */
public record IpamConfig(
    boolean strictAffinity,
    boolean autoAllocateBlocks,
    int maxBlocksPerHost,
    boolean keepVirtualMachineAddresses,
    int cooldownSeconds) {
  private static final String PERSISTENCE = "kubeVirtVMAddressPersistence";
  private static final String COOLDOWN = "ipCooldownSeconds";

  /** The settings that apply when none are stored. */
  public static final IpamConfig DEFAULT = new IpamConfig(false, true, 0, true);

  /** Settings without cooldown. */
  public IpamConfig(
      boolean strictAffinity,
      boolean autoAllocateBlocks,
      int maxBlocksPerHost,
      boolean keepVirtualMachineAddresses) {
    this(strictAffinity, autoAllocateBlocks, maxBlocksPerHost, keepVirtualMachineAddresses, 0);
  }

  /** In a stored record an absent member is false. */
  public static IpamConfig of(Resource resource) {
    return resource.read(
        json ->
            new IpamConfig(
                json.path("strict_affinity").asBoolean(false),
                json.path("auto_allocate_blocks").asBoolean(false),
                json.path("maxBlocksPerHost").asInt(0),
                !json.path(PERSISTENCE).asString("").equals("Disabled"),
                json.path(COOLDOWN).asInt(0)));
  }

  /** How long a released address is kept back. */
  public Duration cooldown() {
    return Duration.ofSeconds(Math.max(0, cooldownSeconds));
  }

  /** Returns a new resource with this content. */
  public Resource toResource() {
    return Resource.of(new ResourceKey.IpamConfig(), write(Json.object()));
  }

  /** Returns the resource with this content; unknown members stay. */
  public Resource applyTo(Resource read) {
    return read.edit(this::write);
  }

  private ObjectNode write(ObjectNode json) {
    json.put("strict_affinity", strictAffinity);
    json.put("auto_allocate_blocks", autoAllocateBlocks);
    json.put("maxBlocksPerHost", maxBlocksPerHost);
    if (json.has(PERSISTENCE) || !keepVirtualMachineAddresses) {
      json.put(PERSISTENCE, keepVirtualMachineAddresses ? "Enabled" : "Disabled");
    }
    if (json.has(COOLDOWN) || cooldownSeconds != 0) {
      json.put(COOLDOWN, cooldownSeconds);
    }
    return json;
  }
}
