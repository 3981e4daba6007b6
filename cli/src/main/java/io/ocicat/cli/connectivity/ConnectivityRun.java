package io.ocicat.cli.connectivity;

import io.ocicat.cli.check.Discrepancy;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Probes all targets from all sources, some at a time, and explains what fails. */
record ConnectivityRun(Probe probe, Explanation explanation) {
  /** Probes wait for the other side more than they work. */
  private static final int AT_ONCE = 16;

  List<PairResult> run(List<ProbeSource> sources, List<ProbeTarget> targets) {
    List<Callable<Probed>> work = new ArrayList<>();
    for (ProbeSource from : sources) {
      for (ProbeTarget to : targets) {
        List<IpAddress> addresses = to.addresses().stream().filter(from::canReach).toList();
        if (!from.name().equals(to.name()) && !addresses.isEmpty()) {
          boolean strict = to.kind() != ProbeTarget.Kind.OUTSIDE;
          work.add(
              () ->
                  new Probed(
                      from,
                      to,
                      addresses.stream()
                          .map(address -> probe.run(from.netns(), address, strict))
                          .toList()));
        }
      }
    }
    return inParallel(work).stream().map(this::explained).toList();
  }

  private record Probed(ProbeSource from, ProbeTarget to, List<Probe.Answer> answers) {}

  private static <T> List<T> inParallel(List<Callable<T>> work) {
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
      List<T> results = new ArrayList<>();
      for (Future<T> one : threads.invokeAll(work)) {
        results.add(one.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }

  private PairResult explained(Probed pair) {
    for (Probe.Answer answer : pair.answers()) {
      if (!answer.ok()) {
        Optional<Discrepancy> cause = explanation.of(pair.from(), pair.to(), answer);
        return PairResult.of(
            pair.from().name(),
            pair.to().name(),
            pair.answers(),
            cause
                .map(explanation::sentence)
                .orElseGet(
                    () ->
                        "%s: %s; %s"
                            .formatted(
                                answer.address(),
                                answer.failure(),
                                explanation.unexplained(pair.to()))),
            cause.map(one -> one.kind().label()).orElse(""));
      }
    }
    return PairResult.of(pair.from().name(), pair.to().name(), pair.answers(), "", "");
  }
}
