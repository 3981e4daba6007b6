package io.ocicat.ipam.cluster;

import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.IpamException;
import java.util.Optional;

/** Reads and writes IPAM's settings. Reading never writes, and concurrent changes never mix. */
public final class IpamSettings {
  /** The limit in Calico's schema. */
  private static final int LONGEST_COOLDOWN = 1200;

  private static final int ATTEMPTS = 5;

  private final IpamRecords records;

  public IpamSettings(IpamRecords records) {
    this.records = records;
  }

  public IpamConfig get() {
    return records
        .find(new ResourceKey.IpamConfig())
        .map(IpamConfig::of)
        .orElse(IpamConfig.DEFAULT);
  }

  public void set(IpamConfig wanted) {
    check(wanted);
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<Resource> stored = records.find(new ResourceKey.IpamConfig());
      if (stored.map(IpamConfig::of).orElse(IpamConfig.DEFAULT).equals(wanted)) {
        return;
      }
      try {
        if (stored.isEmpty()) {
          records.datastore().create(wanted.toResource());
        } else {
          records.datastore().update(wanted.applyTo(stored.get()));
        }
        return;
      } catch (ExistsException | ConflictException | NotFoundException _) {
        // A concurrent change: read it again.
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "IPAM's settings were changed by others each of %d times: try again".formatted(ATTEMPTS));
  }

  private static void check(IpamConfig wanted) {
    if (!wanted.strictAffinity() && !wanted.autoAllocateBlocks()) {
      throw new IpamException(
          IpamException.Reason.BAD_CONFIGURATION,
          "autoAllocateBlocks cannot be off while strictAffinity is off: turn strictAffinity on");
    }
    if (wanted.cooldownSeconds() < 0 || wanted.cooldownSeconds() > LONGEST_COOLDOWN) {
      throw new IpamException(
          IpamException.Reason.BAD_CONFIGURATION,
          "ipCooldownSeconds cannot be %d: it must be 0–%d"
              .formatted(wanted.cooldownSeconds(), LONGEST_COOLDOWN));
    }
    if (!wanted.strictAffinity() && wanted.maxBlocksPerHost() > 0) {
      throw new IpamException(
          IpamException.Reason.BAD_CONFIGURATION,
          "maxBlocksPerHost cannot be %d while strictAffinity is off: turn strictAffinity on, or set it to 0"
              .formatted(wanted.maxBlocksPerHost()));
    }
  }
}
