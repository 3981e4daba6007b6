package io.ocicat.daemon.info;

import io.ocicat.daemon.trace.FinishedCall;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Selects which calls to show.
 *
 * @param about a container's id, the beginning of one, or a pod; empty for all
 * @param failed only those that failed
 * @param changes only ADD and DEL: the other verbs change nothing
 * @param slowest the slowest first rather than the newest last
 * @param most how many
 */
public record CallSelection(
    String about, boolean failed, boolean changes, boolean slowest, int most) {
  private static final Set<String> CHANGING = Set.of("ADD", "DEL");
  private static final int USUAL = 50;
  private static final Comparator<FinishedCall> SLOWEST_FIRST =
      Comparator.comparingLong(FinishedCall::nanos).reversed();

  static CallSelection of(InfoRequest question) {
    boolean slow = question.option("slow").isPresent();
    return new CallSelection(
        question.option("about").orElse(""),
        question.option("failed").isPresent(),
        question.option("changes").isPresent(),
        slow,
        slow ? question.count("slow", 10) : question.count("last", USUAL));
  }

  /** Selects calls; composes no more of them than necessary, one at a time. */
  List<FinishedCall> of(List<Supplier<FinishedCall>> newestFirst) {
    List<FinishedCall> chosen = new ArrayList<>();
    for (Supplier<FinishedCall> remembered : newestFirst) {
      FinishedCall call = remembered.get();
      if ((failed && !call.failed())
          || (changes && !CHANGING.contains(call.verb()))
          || !isAbout(about, call.containerId(), call.pod())) {
        continue;
      }
      chosen.add(call);
      if (slowest && chosen.size() > most) {
        chosen.sort(SLOWEST_FIRST);
        chosen.removeLast();
      } else if (!slowest && chosen.size() == most) {
        break;
      }
    }
    if (slowest) {
      chosen.sort(SLOWEST_FIRST);
      return chosen;
    }
    return chosen.reversed();
  }

  /**
   * Whether a container matches: by its id or the beginning of it, by its pod's name, or by
   * namespace and name. An empty text matches all.
   */
  public static boolean isAbout(String about, String containerId, String pod) {
    return about.isEmpty()
        || containerId.startsWith(about)
        || pod.equals(about)
        || pod.endsWith("/" + about);
  }
}
