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
 * A question to the kernel and how to read its answers. The kernel filters where it can; {@link
 * #where} filters the rest.
 *
 * @param <T> what the answer consists of: mostly one for each message
 */
public final class NetlinkQuery<T> {
  private static final int DUMP = 0x300;

  /** Traffic control answers a question to the one who asked only if told to. */
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
   * Asks for every object of a kind that the header and attributes written by {@code body} select.
   */
  public static <T> NetlinkQuery<T> all(
      int type,
      Consumer<MessageWriter> body,
      Function<NetlinkMessage, T> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(
        NetlinkRequest.of(type, DUMP, body, operation), each(read), any -> true);
  }

  /**
   * Asks for every object of a kind where messages and objects are not one to one: several in one
   * message, or one spread over two.
   */
  public static <T> NetlinkQuery<T> allGathered(
      int type,
      Consumer<MessageWriter> body,
      Function<List<NetlinkMessage>, List<T>> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(NetlinkRequest.of(type, DUMP, body, operation), read, any -> true);
  }

  /** Asks for one object, named by what {@code body} writes. */
  public static <T> NetlinkQuery<T> one(
      int type,
      Consumer<MessageWriter> body,
      Function<NetlinkMessage, T> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(
        NetlinkRequest.of(type, ECHO, body, operation), each(read), any -> true);
  }

  /** Asks for one object whose description comes in several messages. */
  public static <T> NetlinkQuery<T> oneGathered(
      int type,
      Consumer<MessageWriter> body,
      Function<List<NetlinkMessage>, List<T>> read,
      Supplier<String> operation) {
    return new NetlinkQuery<>(NetlinkRequest.of(type, 0, body, operation), read, any -> true);
  }

  /** The same question, keeping only the answers that match. */
  public NetlinkQuery<T> where(Predicate<T> condition) {
    return new NetlinkQuery<>(request, read, wanted.and(condition), none, distinct);
  }

  /**
   * The same question, not reading the messages that do not match: asked for all families, the
   * kernel also tells of those this library does not know.
   */
  public NetlinkQuery<T> only(Predicate<NetlinkMessage> condition) {
    return new NetlinkQuery<>(
        request,
        messages -> read.apply(messages.stream().filter(condition).toList()),
        wanted,
        none,
        distinct);
  }

  /** The same question, to which these refusals of the kernel mean that there is nothing. */
  public NetlinkQuery<T> noneWhen(Errno... refusals) {
    return new NetlinkQuery<>(request, read, wanted, List.of(refusals), distinct);
  }

  /**
   * The same question about things of which there are no two alike. The kernel keeps some in hash
   * tables, and while it is enlarging one it tells some of them twice and others not at all: an
   * answer in which one comes twice is not taken.
   */
  public NetlinkQuery<T> distinct() {
    return new NetlinkQuery<>(request, read, wanted, none, true);
  }

  /** Whether the answer cannot be all there is. */
  boolean isTorn(List<T> answer) {
    return distinct && new HashSet<>(answer).size() < answer.size();
  }

  boolean isDump() {
    return request.flags() == DUMP;
  }

  NetlinkRequest request() {
    return request;
  }

  /** The wanted objects in these messages. */
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
