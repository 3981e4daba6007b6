package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A query to the kernel and how to read its responses. The kernel filters where it can; {@link
 * #where} filters the rest.
 *
 * @param <T> the type of the results: mostly one for each message
 */
public final class NetlinkQuery<T> {
  private static final int DUMP = 0x300;

  /** Traffic control sends a response to the requester only if this flag asks for it. */
  private static final int ECHO = 0x8;

  private final NetlinkRequest request;
  private final Function<List<NetlinkMessage>, List<T>> read;
  private final Predicate<T> wanted;
  private final List<Errno> none;
  private final boolean distinct;

  private NetlinkQuery(
      NetlinkRequest request, Function<List<NetlinkMessage>, List<T>> read, Predicate<T> wanted) {
    this(request, read, wanted, List.of(), false);
  }

  private NetlinkQuery(
      NetlinkRequest request,
      Function<List<NetlinkMessage>, List<T>> read,
      Predicate<T> wanted,
      List<Errno> none,
      boolean distinct) {
    this.request = request;
    this.read = read;
    this.wanted = wanted;
    this.none = none;
    this.distinct = distinct;
  }

  /**
   * Queries every object of a kind that the header and attributes written by {@code body} select.
   */
  public static <T> NetlinkQuery<T> all(
      int type,
      Consumer<MessageWriter> body,
      Function<NetlinkMessage, T> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(
        NetlinkRequest.read(type, DUMP, body, operation), each(read), any -> true);
  }

  /**
   * Queries every object of a kind where messages and objects do not correspond one to one: several
   * in one message, or one spread over two.
   */
  public static <T> NetlinkQuery<T> allGathered(
      int type,
      Consumer<MessageWriter> body,
      Function<List<NetlinkMessage>, List<T>> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(NetlinkRequest.read(type, DUMP, body, operation), read, any -> true);
  }

  /** Queries one object, named by what {@code body} writes. */
  public static <T> NetlinkQuery<T> one(
      int type,
      Consumer<MessageWriter> body,
      Function<NetlinkMessage, T> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(
        NetlinkRequest.read(type, ECHO, body, operation), each(read), any -> true);
  }

  /** Queries one object whose description comes in several messages. */
  public static <T> NetlinkQuery<T> oneFromSeveral(
      int type,
      Consumer<MessageWriter> body,
      Function<List<NetlinkMessage>, List<T>> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(NetlinkRequest.read(type, 0, body, operation), read, any -> true);
  }

  /** The same query, keeping only the results that match. */
  public NetlinkQuery<T> where(Predicate<T> condition) {
    return new NetlinkQuery<>(request, read, wanted.and(condition), none, distinct);
  }

  /**
   * The same query, skipping the messages that do not match: asked for all families, the kernel
   * also reports those this library does not know.
   */
  public NetlinkQuery<T> only(Predicate<NetlinkMessage> condition) {
    return new NetlinkQuery<>(
        request,
        messages -> read.apply(messages.stream().filter(condition).toList()),
        wanted,
        none,
        distinct);
  }

  /** The same query, for which these errors of the kernel mean an empty result. */
  public NetlinkQuery<T> noneWhen(Errno... refusals) {
    return new NetlinkQuery<>(request, read, wanted, List.of(refusals), distinct);
  }

  /**
   * The same query for objects of which no two are equal. The kernel keeps some in hash tables, and
   * while it resizes one it reports some of them twice and others not at all: a response with a
   * duplicate is discarded.
   */
  public NetlinkQuery<T> distinct() {
    return new NetlinkQuery<>(request, read, wanted, none, true);
  }

  /** Whether the response must be incomplete. */
  boolean isTorn(List<T> answer) {
    return distinct && new HashSet<>(answer).size() < answer.size();
  }

  boolean isDump() {
    return request.flags() == DUMP;
  }

  NetlinkRequest request() {
    return request;
  }

  /** The requested objects in these messages. */
  List<T> answer(List<NetlinkMessage> messages) {
    List<T> answers = new ArrayList<>(messages.size());
    for (T answer : read.apply(messages)) {
      if (wanted.test(answer)) {
        answers.add(answer);
      }
    }
    return Collections.unmodifiableList(answers);
  }

  boolean meansNone(Errno refusal) {
    return none.contains(refusal);
  }

  private static <T> Function<List<NetlinkMessage>, List<T>> each(
      Function<NetlinkMessage, T> read) {
    return messages -> {
      List<T> all = new ArrayList<>(messages.size());
      for (NetlinkMessage message : messages) {
        all.add(read.apply(message));
      }
      return all;
    };
  }
}
