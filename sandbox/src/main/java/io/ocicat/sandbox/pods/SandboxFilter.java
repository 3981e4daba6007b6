package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.PodConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A filter for lists of sandboxes; all conditions must hold.
 *
 * @param id an id prefix; empty for any
 * @param state null for any
 * @param labels which it must have
 */
public record SandboxFilter(String id, @Nullable SandboxState state, Map<String, String> labels) {
  public static final SandboxFilter ALL = new SandboxFilter("", null, Map.of());

  public SandboxFilter {
    labels = Map.copyOf(labels);
  }

  boolean matches(SandboxStatus sandbox) {
    return matches(sandbox.id(), sandbox.state(), sandbox.config());
  }

  boolean matches(SandboxItem sandbox) {
    return matches(sandbox.id(), sandbox.state(), sandbox.config());
  }

  private boolean matches(String its, SandboxState itsState, PodConfig config) {
    return its.startsWith(id)
        && (state == null || itsState == state)
        && config.labels().entrySet().containsAll(labels.entrySet());
  }
}
