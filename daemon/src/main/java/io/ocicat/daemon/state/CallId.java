package io.ocicat.daemon.state;

import java.util.Map;
import java.util.Optional;

/**
 * Identifies one call of a plugin's executable. The shim generates it, and keeps it when it has to
 * repeat the call because a daemon died in the middle of it.
 */
public record CallId(String text) {
  /** The variable that holds the id of a call. */
  public static final String VARIABLE = "OCICAT_CALL_ID";

  private static final String AGAIN = "OCICAT_CALL_AGAIN";

  /** Empty for callers that send no id. */
  public static Optional<CallId> of(Map<String, String> environment) {
    String text = environment.getOrDefault(VARIABLE, "");
    return text.isEmpty() ? Optional.empty() : Optional.of(new CallId(text));
  }

  /** The id of a call that was tried before without a reply that reached its caller. */
  public static Optional<CallId> ofRepeated(Map<String, String> environment) {
    return environment.containsKey(AGAIN) ? of(environment) : Optional.empty();
  }
}
