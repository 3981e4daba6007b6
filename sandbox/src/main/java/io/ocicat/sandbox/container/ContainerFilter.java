package io.ocicat.sandbox.container;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A filter for lists of containers; all conditions must hold.
 *
 * @param id an id prefix; empty for any
 * @param sandboxId an id prefix; empty for any
 * @param state null for any
 * @param labels which it must have
 */
public record ContainerFilter(
    String id, String sandboxId, @Nullable ContainerState state, Map<String, String> labels) {
  public static final ContainerFilter ALL = new ContainerFilter("", "", null, Map.of());

  public ContainerFilter {
    labels = Map.copyOf(labels);
  }

  public static ContainerFilter ofSandbox(String sandboxId) {
    return new ContainerFilter("", sandboxId, null, Map.of());
  }

  public boolean matches(ContainerStatus container) {
    return container.id().startsWith(id)
        && container.sandboxId().startsWith(sandboxId)
        && (state == null || container.state() == state)
        && container.config().labels().entrySet().containsAll(labels.entrySet());
  }
}
