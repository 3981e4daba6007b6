package io.ocicat.agent.policy;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Collection;
import java.util.List;

/** Calculations for tests. */
public final class Calculations {
  public static final FilterSettings SETTINGS =
      new FilterSettings(
          List.of("cali"),
          /* ipv6= */ true,
          FilterSettings.ToHost.DROP,
          /* reject= */ false,
          /* dropInvalid= */ true,
          "calico-packet",
          List.of(),
          List.of());

  private Calculations() {}

  /** One that has listed everything, and found these resources. */
  public static PolicyCalculation of(
      String node, boolean supplies, Collection<Resource> resources) {
    PolicyCalculation calculation = new PolicyCalculation(node, supplies);
    calculation.configure(SETTINGS, /* spoofing= */ false);
    for (Kind kind : calculation.kinds()) {
      calculation.apply(list(kind, resources));
    }
    calculation.update();
    return calculation;
  }

  static ViewEvent list(Kind kind, Collection<Resource> resources) {
    return new ViewEvent.Listed(
        kind, resources.stream().filter(one -> one.kind() == kind).toList(), List.of());
  }

  static ViewEvent put(Resource resource) {
    return new ViewEvent.Changed(resource.kind(), List.of(new ResourceEvent.Modified(resource)));
  }

  static ViewEvent delete(ResourceKey key) {
    return new ViewEvent.Changed(key.kind(), List.of(new ResourceEvent.Deleted(key, "", null)));
  }

  static ViewEvent unreadable(ResourceKey key) {
    return new ViewEvent.Changed(
        key.kind(), List.of(new ResourceEvent.Unreadable(key, "", "cannot be read")));
  }
}
