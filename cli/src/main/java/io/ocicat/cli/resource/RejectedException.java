package io.ocicat.cli.resource;

import java.util.List;

/** What was given cannot be accepted, for each of these reasons; nothing was written. */
public final class RejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> reasons;

  public RejectedException(List<String> reasons) {
    super(String.join("; ", reasons));
    this.reasons = List.copyOf(reasons);
  }

  public List<String> reasons() {
    return reasons;
  }
}
