package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A netlink socket in one namespace, for changes and queries. Open it once inside the namespace,
 * then use it from any thread, wherever that thread is: the socket stays in the namespace where it
 * was opened.
 *
 * <p>Changes go out with {@link #perform}, many in one send where they belong together; queries
 * with {@link #list} and {@link #find}. The kernel responds while it processes a message, so
 * nothing here waits for long, but a change may wait for the kernel's own locks: call from platform
 * threads.
 *
 * <p>Thread-safe: one exchange at a time.
 */
public final class NetlinkSocket implements AutoCloseable {
  private static final int RECEIVE_BUFFER = 1024 * 1024;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** So that the receive buffer holds the errors of one send even if every message in it fails. */
  private static final int MAX_MESSAGES_PER_SEND = 256;

  private static final int MAX_BYTES_PER_SEND = 64 * 1024;

  /**
   * A dump is interrupted whenever the table changes under it; on a busy node that happens more
   * than once.
   */
  private static final int DUMP_ATTEMPTS = 20;

  private static final long TORN_PAUSE_NANOS = 2_000_000;

  private static final Set<Errno> ABSENT =
      Set.of(Errno.ENODEV, Errno.ENOENT, Errno.ESRCH, Errno.ENXIO, Errno.EADDRNOTAVAIL);

  private static final int FIRST_SEQUENCE = 1;

  private final NetlinkChannel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private int sequence = FIRST_SEQUENCE;

  private NetlinkSocket(NetlinkChannel channel) {
    this.channel = channel;
  }

  /** Opens a socket in the namespace of the calling thread. */
  public static NetlinkSocket open(Protocol protocol) {
    return new NetlinkSocket(NetlinkChannel.open(protocol, RECEIVE_BUFFER, TIMEOUT));
  }

  /** Opens a socket in a namespace, from outside it. */
  public static NetlinkSocket open(Protocol protocol, NetNs namespace) {
    return namespace.visit(() -> open(protocol));
  }

  /**
   * Makes the changes, in order, in as few sends as possible. The kernel continues after a failure;
   * afterwards the first failure is thrown, the others suppressed in it. Use {@link #attempt} to
   * get each outcome.
   *
   * @return what became of each, in the order given, with the kernel's replies where a request
   *     asked for some
   */
  public List<RequestOutcome> perform(NetlinkRequest... requests) {
    return perform(List.of(requests));
  }

  public List<RequestOutcome> perform(List<NetlinkRequest> requests) {
    List<RequestOutcome> outcomes = attempt(requests);
    RequestOutcome.requireAll(outcomes);
    return outcomes;
  }

  /** Makes the changes and returns the outcome of each, in the order given. */
  public List<RequestOutcome> attempt(List<NetlinkRequest> requests) {
    if (requests.isEmpty()) {
      return List.of();
    }
    long start = System.nanoTime();
    lock.lock();
    Buffers buffers = Buffers.borrow();
    try {
      List<RequestOutcome> outcomes = new ArrayList<>(requests.size());
      for (int from = 0; from < requests.size(); ) {
        List<NetlinkRequest> some = writeSome(buffers.out, requests, from);
        channel.send(buffers);
        int first = nextSequence(some.size());
        outcomes.addAll(new BatchAcks(some, first).collect(channel, buffers));
        from += some.size();
      }
      return outcomes;
    } finally {
      buffers.release();
      lock.unlock();
      ExchangeListener.report(requests, start);
    }
  }

  /** Makes changes that the kernel applies all or none, as nf_tables does. */
  public void transact(NetlinkRequest... requests) {
    transact(List.of(requests));
  }

  public void transact(List<NetlinkRequest> requests) {
    transact(NetfilterBatch.begin(), requests);
  }

  /**
   * The same, but only if nf_tables has not changed since this generation was read, so that the
   * requests are still based on current data. ERESTART when it has.
   *
   * @param generation the id of {@link io.ocicat.netlink.nft.Generation}
   */
  public void transactIf(int generation, List<NetlinkRequest> requests) {
    transact(NetfilterBatch.begin(generation), requests);
  }

  /**
   * The same, and says what became of each request, in the order given: one that failed undid all,
   * also those that are done.
   *
   * @throws NetlinkException when the transaction as a whole was refused, as with ERESTART
   */
  public List<RequestOutcome> tryTransactIf(int generation, List<NetlinkRequest> requests) {
    return tryTransact(NetfilterBatch.begin(generation), requests);
  }

  /** The same, whatever the generation. */
  public List<RequestOutcome> tryTransact(List<NetlinkRequest> requests) {
    return tryTransact(NetfilterBatch.begin(), requests);
  }

  private List<RequestOutcome> tryTransact(NetlinkRequest begin, List<NetlinkRequest> requests) {
    List<RequestOutcome> outcomes = outcomes(begin, requests);
    if (outcomes.isEmpty()) {
      return outcomes;
    }
    RequestOutcome.requireAll(outcomes.subList(0, 1));
    return outcomes.subList(1, outcomes.size());
  }

  private void transact(NetlinkRequest begin, List<NetlinkRequest> requests) {
    RequestOutcome.requireAll(outcomes(begin, requests));
  }

  /** The outcome of the opening message comes first. */
  private List<RequestOutcome> outcomes(NetlinkRequest begin, List<NetlinkRequest> requests) {
    if (requests.isEmpty()) {
      return List.of();
    }
    long start = System.nanoTime();
    lock.lock();
    Buffers buffers = Buffers.borrow();
    try {
      List<NetlinkRequest> opened = new ArrayList<>(requests.size() + 1);
      opened.add(begin);
      opened.addAll(requests);
      int first = nextSequence(opened.size() + 1);
      for (int i = 0; i < opened.size(); i++) {
        buffers.out.message(opened.get(i), first + i);
      }
      // Not on the closing message: kernels before 6.10 do not acknowledge it.
      buffers.out.acknowledgeLast();
      buffers.out.message(NetfilterBatch.END, first + opened.size());
      channel.send(buffers);
      return new BatchAcks(opened, first).collect(channel, buffers);
    } finally {
      buffers.release();
      lock.unlock();
      ExchangeListener.report(requests, start);
    }
  }

  /** All results of the query. */
  public <T> List<T> list(NetlinkQuery<T> query) {
    if (!query.isDump()) {
      return find(query).map(List::of).orElse(List.of());
    }
    long start = System.nanoTime();
    lock.lock();
    Buffers buffers = Buffers.borrow();
    try {
      for (int attempt = 1; attempt <= DUMP_ATTEMPTS; attempt++) {
        Dump dump = dump(query.request(), buffers);
        RequestOutcome.Failed refusal = dump.refusal();
        if (refusal != null) {
          if (query.meansNone(refusal.errno())) {
            return List.of();
          }
          throw refusal.cause();
        }
        if (!dump.interrupted()) {
          List<T> answer = query.answer(dump.messages());
          if (!query.isTorn(answer)) {
            return answer;
          }
          // Resizing a table takes a few milliseconds.
          LockSupport.parkNanos(TORN_PAUSE_NANOS);
        }
      }
      throw new NetlinkException(
          query.request().operation(),
          Errno.EAGAIN,
          "the table changed during each of %d readings".formatted(DUMP_ATTEMPTS));
    } finally {
      buffers.release();
      lock.unlock();
      ExchangeListener.report(List.of(query.request()), start);
    }
  }

  /** The object, or the first of several; empty when the kernel has none. */
  public <T> Optional<T> find(NetlinkQuery<T> query) {
    if (query.isDump()) {
      return first(list(query));
    }
    RequestOutcome outcome = attempt(List.of(query.request())).getFirst();
    return switch (outcome) {
      case RequestOutcome.Done done -> first(query.answer(done.replies()));
      case RequestOutcome.Failed failed -> {
        if (ABSENT.contains(failed.errno()) || query.meansNone(failed.errno())) {
          yield Optional.empty();
        }
        throw failed.cause();
      }
    };
  }

  private static <T> Optional<T> first(List<T> answers) {
    return answers.isEmpty() ? Optional.empty() : Optional.of(answers.getFirst());
  }

  /** How many messages were sent so far, as a measure of cost. */
  public int messagesSent() {
    lock.lock();
    try {
      return sequence - FIRST_SEQUENCE;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    channel.close();
  }

  private record Dump(
      List<NetlinkMessage> messages,
      boolean interrupted,
      RequestOutcome.@Nullable Failed refusal) {}

  private Dump dump(NetlinkRequest request, Buffers buffers) {
    buffers.out.reset();
    int expected = nextSequence(1);
    buffers.out.message(request, expected);
    channel.send(buffers);
    List<NetlinkMessage> messages = new ArrayList<>();
    boolean interrupted = false;
    while (true) {
      for (NetlinkMessage message : NetlinkMessage.split(channel.receive(buffers))) {
        if (message.sequence() != expected) {
          continue;
        }
        interrupted |= message.isFromInterruptedDump();
        switch (message.type()) {
          case NetlinkMessage.NOOP -> {}
          case NetlinkMessage.ERROR, NetlinkMessage.DONE, NetlinkMessage.OVERRUN -> {
            Ack verdict = Ack.read(message);
            return new Dump(
                messages, interrupted, verdict.isSuccess() ? null : verdict.failure(request));
          }
          default -> messages.add(message);
        }
      }
    }
  }

  /** Writes as many requests as one send may hold and returns those. */
  private List<NetlinkRequest> writeSome(
      MessageWriter out, List<NetlinkRequest> requests, int from) {
    out.reset();
    int most = Math.min(requests.size(), from + MAX_MESSAGES_PER_SEND);
    int to = from;
    while (to < most && out.length() < MAX_BYTES_PER_SEND) {
      out.message(requests.get(to), sequence + to - from);
      to++;
    }
    out.acknowledgeLast();
    return requests.subList(from, to);
  }

  private int nextSequence(int count) {
    int first = sequence;
    sequence += count;
    return first;
  }
}
