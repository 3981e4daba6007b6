package io.ocicat.netlink;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A kind of object that a {@link Monitor} can watch: which multicast groups announce changes, by
 * which messages, and how to read those. Each family of objects defines its own.
 *
 * @param <T> the type of the object
 */
public final class Topic<T> {
  private final Protocol protocol;
  private final List<Integer> groups;
  private final int changed;
  private final int removed;
  private final Function<NetlinkMessage, T> read;
  private final Predicate<NetlinkMessage> concerned;

  private Topic(
      Protocol protocol,
      List<Integer> groups,
      int changed,
      int removed,
      Function<NetlinkMessage, T> read,
      Predicate<NetlinkMessage> concerned) {
    this.protocol = protocol;
    this.groups = groups;
    this.changed = changed;
    this.removed = removed;
    this.read = read;
    this.concerned = concerned;
  }

  /**
   * Describes a kind of object.
   *
   * @param changed the type of message that says an object is new or different, as RTM_NEWLINK
   * @param removed the type of message that says it is gone, as RTM_DELLINK
   * @param groups the numbers of linux/rtnetlink.h, enum rtnetlink_groups
   */
  public static <T> Topic<T> of(
      int changed, int removed, Function<NetlinkMessage, T> read, int... groups) {
    return of(Protocol.ROUTE, changed, removed, read, groups);
  }

  /** The same for objects of another netlink family, in the numbers of that family. */
  public static <T> Topic<T> of(
      Protocol protocol,
      int changed,
      int removed,
      Function<NetlinkMessage, T> read,
      int... groups) {
    return new Topic<>(
        protocol, IntStream.of(groups).boxed().toList(), changed, removed, read, any -> true);
  }

  /**
   * The same, without the messages that do not match: the kernel announces different things by one
   * type of message, distinguished by the family in their header.
   */
  public Topic<T> only(Predicate<NetlinkMessage> condition) {
    return new Topic<>(protocol, groups, changed, removed, read, concerned.and(condition));
  }

  Protocol protocol() {
    return protocol;
  }

  List<Integer> groups() {
    return groups;
  }

  boolean concerns(NetlinkMessage message) {
    return (message.type() == changed || message.type() == removed) && concerned.test(message);
  }

  Monitor.Event<T> read(NetlinkMessage message) {
    T object = read.apply(message);
    return message.type() == changed
        ? new Monitor.Changed<>(object)
        : new Monitor.Removed<>(object);
  }
}
