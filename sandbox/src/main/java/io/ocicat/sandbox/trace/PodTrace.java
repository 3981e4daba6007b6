package io.ocicat.sandbox.trace;

import io.ocicat.base.CrashPoints;
import io.ocicat.base.trace.StepRecorder;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.NetlinkRequest;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Records the steps of operations, each before its parts. Texts are composed when they are read.
 *
 * <p>Written by the thread that does the work; read by any thread once that is over.
 */
public final class PodTrace implements ExchangeListener {
  /** Separates the messages of one send to the kernel. */
  public static final String SEPARATOR = "; ";

  private static final ScopedValue<PodTrace> CURRENT = ScopedValue.newInstance();

  private final StepRecorder<StepKind> recorder = new StepRecorder<>();
  private CrashPoints points = CrashPoints.IGNORED;

  /** Reports each step's beginning and end from now on. */
  public PodTrace at(CrashPoints listener) {
    points = listener;
    return this;
  }

  /** Runs the work and records its steps here. */
  public <T> T record(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).where(ExchangeListener.PRESENT, this).call(work::get);
  }

  /** Whether this thread records. */
  public static boolean isRecording() {
    return CURRENT.isBound();
  }

  /** Runs the work as a step of this thread's trace, if there is one. */
  public static <T> T step(StepKind kind, Supplier<String> detail, Supplier<T> work) {
    return CURRENT.isBound() ? CURRENT.get().timed(kind, detail, work) : work.get();
  }

  /** Like the other {@code step}, for work without a result. */
  public static void step(StepKind kind, String detail, Runnable work) {
    step(
        kind,
        () -> detail,
        () -> {
          work.run();
          return kind;
        });
  }

  private <T> T timed(StepKind kind, Supplier<String> detail, Supplier<T> work) {
    points.pass("before " + kind.label());
    try {
      return recorder.timed(kind, detail, work);
    } finally {
      points.pass("after " + kind.label());
    }
  }

  @Override
  public void exchanged(List<NetlinkRequest> requests, long startNanos, long endNanos) {
    recorder.add(StepKind.KERNEL, () -> describe(requests), startNanos, endNanos);
  }

  private static String describe(List<NetlinkRequest> requests) {
    return requests.stream().map(NetlinkRequest::operation).collect(Collectors.joining(SEPARATOR));
  }

  public List<PodStep> steps() {
    return recorder.steps().stream()
        .map(
            step ->
                new PodStep(
                    step.kind(),
                    step.detail().get(),
                    step.depth(),
                    step.startNanos(),
                    step.endNanos(),
                    step.failed()))
        .toList();
  }
}
