package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamBlock.Attributes;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * For how long a released address is kept back, and what time it is. While it cools down, an
 * address keeps its place among a block's allocations, with attributes that say nothing but when it
 * was released. Whoever writes the block next after that time frees it.
 *
 * @param length zero when addresses are free as soon as they are released
 */
public record Cooldown(Duration length, Instant now) {
  /** Where it is found out, only when somebody needs it: it may have to be read. */
  public interface Source {
    /** For whoever only looks: what cools down stays so. */
    Source ENDLESS = () -> new Cooldown(ChronoUnit.FOREVER.getDuration(), Instant.EPOCH);

    Cooldown current();
  }

  public boolean isNone() {
    return !length.isPositive();
  }

  /** Whether an address that was released may be given again. */
  public boolean isOver(Attributes released) {
    // The difference overflows for the endless one and the sum for a time that makes no sense.
    return isNone() || Duration.between(released.releasedAt(), now).compareTo(length) > 0;
  }

  /** As Go writes a time. */
  public Attributes mark() {
    return Attributes.released(now.truncatedTo(ChronoUnit.SECONDS));
  }

  public static boolean concerns(IpamBlock block) {
    return block.attributes().stream().anyMatch(Attributes::isCoolingDown);
  }
}
