package io.ocicat.daemon.trace;

import io.ocicat.base.trace.StepRecorder;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.NetlinkRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Records one call's steps. Texts are composed on demand: recording costs a few hundred nanoseconds
 * a step.
 *
 * <p>Written by the thread that makes the call; read by any once the call is over.
 */
public final class CallTrace implements ExchangeListener, RequestListener {
  /** The most requests of one send to the kernel that are listed. */
  private static final int MOST_LISTED = 64;

  /** Between the requests of one send, in a step's detail. */
  public static final String SEPARATOR = "; ";

  /** The trace of the call that this thread is making. */
  public static final ScopedValue<CallTrace> CURRENT = ScopedValue.newInstance();

  /** What a step takes with a request in it: an element of a set with its key, data and comment. */
  private static final int BYTES_OF_A_STEP = 512;

  private final StepRecorder<Phase> recorder = new StepRecorder<>();
  private final long startNanos;
  private final Optional<TraceContext> parent;

  /** In addition to one for each step. */
  private int moreRequests;

  /**
   * @param startNanos when the call began, by {@link System#nanoTime}
   * @param parent the span of the caller; empty when it named none
   */
  public CallTrace(long startNanos, Optional<TraceContext> parent) {
    this.startNanos = startNanos;
    this.parent = parent;
  }

  /** The span of the caller; empty when it named none. */
  public Optional<TraceContext> parent() {
    return parent;
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
    return recorder.timed(phase, detail, work);
  }

  @Override
  public void exchanged(List<NetlinkRequest> requests, long start, long end) {
    int count = requests.size();
    // A transaction may hold thousands of requests; no more than these are ever shown.
    List<NetlinkRequest> listed =
        count > MOST_LISTED ? List.copyOf(requests.subList(0, MOST_LISTED)) : requests;
    if (recorder.add(phaseOf(requests), () -> describe(listed, count), start, end)) {
      moreRequests += Math.max(0, listed.size() - 1);
    }
  }

  /** About how much memory it takes. */
  public long bytes() {
    return (long) BYTES_OF_A_STEP * (recorder.steps().size() + moreRequests);
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
