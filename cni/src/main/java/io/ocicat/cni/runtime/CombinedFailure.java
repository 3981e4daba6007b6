package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import java.util.List;
import java.util.stream.Collectors;

/** Combines several errors into one. */
final class CombinedFailure {
  private CombinedFailure() {}

  /** A single failure unchanged; otherwise all messages, with the code of the first. */
  static CniException joined(List<CniException> failures, String before, String between) {
    if (failures.size() == 1) {
      return failures.getFirst();
    }
    CniException all =
        new CniException(
            failures.getFirst().code(),
            failures.stream()
                .map(CniException::getMessage)
                .collect(Collectors.joining(between, before, "")));
    failures.forEach(all::addSuppressed);
    return all;
  }
}
