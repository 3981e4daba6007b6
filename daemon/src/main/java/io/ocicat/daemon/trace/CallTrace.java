package io.ocicat.daemon.trace;

import io.ocicat.base.trace.StepRecorder;
import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.NetlinkRequest;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Records one call's steps. Texts are composed on demand: recording costs a few hundred nanoseconds
 * a step.
 *
 * <p>Written by the thread that makes the call; read by any once the call is over.
 */
public final class CallTrace implements ExchangeListener, RequestListener {
  /** A call that does more than this is shown in part. */
  private static final int MOST_STEPS = 512;

  /** The most requests of one send to the kernel that are listed. */
  private static final int MOST_LISTED = 64;

  /** Between the requests of one send, in a step's detail. */
  public static final String SEPARATOR = "; ";

  /** The trace of the call that this thread is making. */
  public static final ScopedValue<CallTrace> CURRENT = ScopedValue.newInstance();

  private record Timed(Phase phase, Supplier<String> detail, int depth, long start, long end) {}

  /** What a step takes with a request in it: an element of a set with its key, data and comment. */
  private static final int BYTES_OF_A_STEP = 512;

  private final List<Timed> steps = new ArrayList<>();
  private final long startNanos;

  /** Beside one for each step. */
  private int moreRequests;

  /**
   * @param startNanos when the call began, by {@link System#nanoTime}
   */
  public CallTrace(long startNanos) {
    this.startNanos = startNanos;
  }

  public long startNanos() {
    return startNanos;
  }

  /** Records something that has already happened. */
  public void add(Phase phase, Supplier<String> detail, long start, long end) {
    recorder.add(phase, detail, start, end);
  }

  /** Does something and records how long it took; steps recorded meanwhile are parts of it. */
  public <T> T timed(Phase phase, Supplier<String> detail, Supplier<T> work) {
    long start = System.nanoTime();
    int place = steps.size();
    depth++;
    try {
      return work.get();
    } finally {
      depth--;
      if (steps.size() < MOST_STEPS) {
        // Before its parts, which were recorded first.
        steps.add(place, new Timed(phase, detail, depth, start, System.nanoTime()));
      }
    }
  }

  @Override
  public void exchanged(List<NetlinkRequest> requests, long start, long end) {
    int count = requests.size();
    // A transaction may be thousands of requests, of which nobody will ask for more than these.
    List<NetlinkRequest> told =
        count > MOST_LISTED ? List.copyOf(requests.subList(0, MOST_LISTED)) : requests;
    if (steps.size() < MOST_STEPS) {
      moreRequests += Math.max(0, told.size() - 1);
    }
    add(phaseOf(requests), () -> describe(told, count), start, end);
  }

  /** About how much memory it takes. */
  public long bytes() {
    return (long) BYTES_OF_A_STEP * (steps.size() + moreRequests);
  }

  @Override
  public void answered(DatastoreRequest request) {
    add(Phase.DATASTORE, request::describe, request.startNanos(), request.endNanos());
  }

  /** Receives a step's times without its text, which would have to be composed. */
  @FunctionalInterface
  public interface Times {
    void step(Phase phase, long startNanos, long endNanos);
  }

  public void eachStep(Times times) {
    for (StepRecorder.Recorded<Phase> step : recorder.steps()) {
      times.step(step.kind(), step.startNanos(), step.endNanos());
    }
  }

  /** In their order, each before its parts. */
  public List<Step> steps() {
    return recorder.steps().stream()
        .map(
            step ->
                new Step(
                    step.kind(),
                    step.detail().get(),
                    step.depth(),
                    step.startNanos(),
                    step.endNanos()))
        .toList();
  }

  private static String describe(List<NetlinkRequest> requests, int count) {
    String first =
        requests.stream().map(NetlinkRequest::operation).collect(Collectors.joining(SEPARATOR));
    int left = count - requests.size();
    return left > 0 ? first + SEPARATOR + "… and %d more".formatted(left) : first;
  }

  private static Phase phaseOf(List<NetlinkRequest> requests) {
    if (requests.isEmpty()) {
      return Phase.KERNEL;
    }
    return switch (requests.getFirst().subject()) {
      case LINK -> Phase.LINK;
      case ADDRESS -> Phase.ADDRESS;
      case ROUTE -> Phase.ROUTE;
      case NF_TABLES -> Phase.NFTABLES;
      case NEIGHBOUR, RULE, TRAFFIC_CONTROL, CONNTRACK, OTHER -> Phase.KERNEL;
    };
  }
}
