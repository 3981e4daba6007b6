package io.ocicat.daemon.trace;

import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.netlink.Request;
import io.ocicat.netlink.Witness;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Records one call's steps. Texts are composed when somebody looks: recording costs a few hundred
 * nanoseconds a step.
 *
 * <p>Written by the thread that makes the call; read by any once the call is over.
 */
public final class CallTrace implements Witness, RequestListener {
  /** A call that does more than this is shown in part. */
  private static final int MOST_STEPS = 512;

  /** Of what was sent to the kernel in one go. */
  private static final int MOST_TOLD = 64;

  /** Between the requests of one send, in a step's detail. */
  public static final String SEPARATOR = "; ";

  /** The one of the call under way on this thread. */
  public static final ScopedValue<CallTrace> CURRENT = ScopedValue.newInstance();

  private record Timed(Phase phase, Supplier<String> detail, int depth, long start, long end) {}

  private final List<Timed> steps = new ArrayList<>();
  private final long startNanos;
  private int depth;

  /**
   * @param startNanos when the call began, by {@link System#nanoTime}
   */
  public CallTrace(long startNanos) {
    this.startNanos = startNanos;
  }

  public long startNanos() {
    return startNanos;
  }

  /** Notes something that has already happened. */
  public void add(Phase phase, Supplier<String> detail, long start, long end) {
    if (steps.size() < MOST_STEPS) {
      steps.add(new Timed(phase, detail, depth, start, end));
    }
  }

  /** Does something and notes how long it took; what happens in it is a part of it. */
  public <T> T timed(Phase phase, Supplier<String> detail, Supplier<T> work) {
    long start = System.nanoTime();
    int place = steps.size();
    depth++;
    try {
      return work.get();
    } finally {
      depth--;
      if (steps.size() < MOST_STEPS) {
        // Before its parts, which were noted first.
        steps.add(place, new Timed(phase, detail, depth, start, System.nanoTime()));
      }
    }
  }

  @Override
  public void exchanged(List<Request> requests, long start, long end) {
    add(phaseOf(requests), () -> describe(requests), start, end);
  }

  @Override
  public void answered(DatastoreRequest request) {
    add(Phase.DATASTORE, request::describe, request.startNanos(), request.endNanos());
  }

  /** Takes a step's times and not its text, which would have to be composed. */
  @FunctionalInterface
  public interface Times {
    void step(Phase phase, long startNanos, long endNanos);
  }

  public void eachStep(Times times) {
    for (Timed step : steps) {
      times.step(step.phase(), step.start(), step.end());
    }
  }

  /** In their order, each before its parts. */
  public List<Step> steps() {
    return steps.stream()
        .map(
            step ->
                new Step(step.phase(), step.detail().get(), step.depth(), step.start(), step.end()))
        .toList();
  }

  private static String describe(List<Request> requests) {
    String first =
        requests.stream()
            .limit(MOST_TOLD)
            .map(Request::operation)
            .collect(Collectors.joining(SEPARATOR));
    int left = requests.size() - MOST_TOLD;
    return left > 0 ? first + SEPARATOR + "… and %d more".formatted(left) : first;
  }

  private static Phase phaseOf(List<Request> requests) {
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
