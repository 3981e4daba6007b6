package io.ocicat.daemon.info;

import io.ocicat.daemon.trace.FinishedCall;
import java.util.Comparator;
import java.util.List;

/**
 * Which calls somebody wants to see.
 *
 * @param about a container's id, the beginning of one, or a pod; empty for all
 * @param failed only those that failed
 * @param slowest the slowest first rather than the newest last
 * @param most how many
 */
public record CallSelection(String about, boolean failed, boolean slowest, int most) {
  static CallSelection of(Question question) {
    boolean slow = question.option("slow").isPresent();
    return new CallSelection(
        question.option("about").orElse(""),
        question.option("failed").isPresent(),
        slow,
        slow ? question.count("slow", 10) : question.count("last", Integer.MAX_VALUE));
  }

  List<FinishedCall> of(List<FinishedCall> calls) {
    List<FinishedCall> chosen =
        calls.stream()
            .filter(call -> !failed || call.failed())
            .filter(call -> isAbout(about, call.containerId(), call.pod()))
            .toList();
    if (slowest) {
      return chosen.stream()
          .sorted(Comparator.comparingLong(FinishedCall::nanos).reversed())
          .limit(most)
          .toList();
    }
    return chosen.subList(Math.max(0, chosen.size() - most), chosen.size());
  }

  /**
   * Whether a container is meant: by its id or the beginning of it, by its pod's name, or by
   * namespace and name. Nothing means all.
   */
  public static boolean isAbout(String about, String containerId, String pod) {
    return about.isEmpty()
        || containerId.startsWith(about)
        || pod.equals(about)
        || pod.endsWith("/" + about);
  }
}
