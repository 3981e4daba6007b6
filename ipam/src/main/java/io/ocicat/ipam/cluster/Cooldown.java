package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamBlock.Attributes;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How long a released address is kept back, and the current time. During its cooldown, an address
 * keeps its slot in the block's allocations, with attributes that only say when it was released.
 * The next write to the block after that time frees it.
 *
 * @param length zero when addresses are free as soon as they are released
 */
public record Cooldown(Duration length, Instant now) {
  /** Provides the cooldown on demand: it may have to be read. */
  public interface Source {
    /** For readers: no cooldown ever ends. */
    Source ENDLESS = () -> new Cooldown(ChronoUnit.FOREVER.getDuration(), Instant.EPOCH);

    Cooldown current();
  }

  public boolean isNone() {
    return !length.isPositive();
  }

  /** Whether a released address may be assigned again. */
  public boolean isOver(Attributes released) {
    // The difference overflows for the endless cooldown, and the sum for a nonsensical time.
    return isNone() || Duration.between(released.releasedAt(), now).compareTo(length) > 0;
  }

  /** Attributes with the release time in Go's format. */
  public Attributes mark() {
    return Attributes.released(now.truncatedTo(ChronoUnit.SECONDS));
  }

  public static boolean concerns(IpamBlock block) {
    return block.attributes().stream().anyMatch(Attributes::isCoolingDown);
  }
}
