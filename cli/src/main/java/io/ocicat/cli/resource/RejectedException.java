package io.ocicat.cli.resource;

import java.util.List;

/** Input that is rejected, with every reason; nothing was written. */
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
