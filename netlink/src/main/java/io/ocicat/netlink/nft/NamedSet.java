package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A set, map or verdict map: the types of its keys and data, without the elements.
 *
 * @param timeout default lifetime of elements; zero for ever
 * @param size the most elements it may have; 0 for no limit
 * @param comment empty for none
 */
public record NamedSet(
    SetId id,
    KeyLayout key,
    Target target,
    Set<SetFlag> flags,
    Duration timeout,
    int size,
    String comment) {

  /** The data of a set's keys. */
  public sealed interface Target {
    /** None: it is a plain set. */
    record Nothing() implements Target {}

    /** Values: it is a map. */
    record Values(KeyLayout layout) implements Target {}

    /** Verdicts: it is a verdict map. */
    record Verdicts() implements Target {}

    /** Named counters, quotas and the like, which this package does not deal with. */
    record Objects() implements Target {}
  }

  public NamedSet {
    flags = Set.copyOf(flags);
  }

  public static NamedSet set(SetId id, DataType... key) {
    return new NamedSet(
        id, KeyLayout.of(key), new Target.Nothing(), Set.of(), Duration.ZERO, 0, "");
  }

  /**
   * For instance {@code map(id, KeyLayout.of(INET_PROTO, INET_SERVICE), KeyLayout.of(IPV4_ADDR))}.
   */
  public static NamedSet map(SetId id, KeyLayout key, KeyLayout data) {
    return new NamedSet(id, key, new Target.Values(data), Set.of(), Duration.ZERO, 0, "");
  }

  public static NamedSet verdictMap(SetId id, DataType... key) {
    return new NamedSet(
        id, KeyLayout.of(key), new Target.Verdicts(), Set.of(), Duration.ZERO, 0, "");
  }

  public NamedSet withFlags(SetFlag... more) {
    Set<SetFlag> all =
        Stream.concat(flags.stream(), Arrays.stream(more)).collect(Collectors.toSet());
    return new NamedSet(id, key, target, all, timeout, size, comment);
  }

  /** With a default lifetime for elements. */
  public NamedSet withTimeout(Duration lifeTime) {
    return new NamedSet(id, key, target, flags, lifeTime, size, comment).withFlags(SetFlag.TIMEOUT);
  }

  public NamedSet withSize(int most) {
    return new NamedSet(id, key, target, flags, timeout, most, comment);
  }

  public NamedSet withComment(String text) {
    return new NamedSet(id, key, target, flags, timeout, size, text);
  }

  boolean isInterval() {
    return flags.contains(SetFlag.INTERVAL);
  }

  /** Such sets store both ends of a range in one element; the others in two. */
  boolean holdsRangesWhole() {
    return isInterval() && key.isJoined();
  }

  static NamedSet read(NetlinkMessage message) {
    Attributes attributes = Nft.attributes(message);
    TableId table = new TableId(Nft.family(message), Nft.name(attributes, Sets.TABLE));
    int bits = attributes.be32(Sets.FLAGS, 0);
    return new NamedSet(
        table.set(Nft.name(attributes, Sets.NAME)),
        KeyLayout.read(attributes.be32(Sets.KEY_TYPE, 0), attributes.be32(Sets.KEY_LENGTH, 0)),
        readTarget(attributes, bits),
        flags(bits),
        Duration.ofMillis(attributes.be64(Sets.TIMEOUT, 0)),
        attributes.nested(Sets.DESCRIPTION).be32(Sets.DESCRIPTION_SIZE, 0),
        UserData.readText(attributes, Sets.USERDATA, UserData.SET_COMMENT));
  }

  private static Target readTarget(Attributes attributes, int flags) {
    if ((flags & Sets.IS_OBJECT_MAP) != 0) {
      return new Target.Objects();
    }
    if ((flags & Sets.IS_MAP) == 0) {
      return new Target.Nothing();
    }
    int type = attributes.be32(Sets.DATA_TYPE, 0);
    return type == Sets.VERDICT_TYPE
        ? new Target.Verdicts()
        : new Target.Values(KeyLayout.read(type, attributes.be32(Sets.DATA_LENGTH, 0)));
  }

  private static Set<SetFlag> flags(int bits) {
    return List.of(SetFlag.values()).stream()
        .filter(flag -> (bits & flag.number()) != 0)
        .collect(Collectors.toSet());
  }

  @Override
  public String toString() {
    return switch (target) {
      case Target.Nothing _ -> "set %s { type %s }".formatted(id, key);
      case Target.Values values -> "map %s { type %s : %s }".formatted(id, key, values.layout());
      case Target.Verdicts _ -> "map %s { type %s : verdict }".formatted(id, key);
      case Target.Objects _ -> "map %s { type %s : object }".formatted(id, key);
    };
  }
}
