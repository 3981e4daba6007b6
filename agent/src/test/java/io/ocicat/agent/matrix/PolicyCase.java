package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Resources that are applied together, and what happens afterwards. The truth table is checked
 * after each step.
 */
public record PolicyCase(String name, List<Resource> resources, List<Step> steps) {
  /** Something that happens to a cluster. */
  public record Step(String name, Consumer<PolicyWorld> action) {}

  public PolicyCase {
    resources = List.copyOf(resources);
    steps = List.copyOf(steps);
  }

  /** The resources in their order or the reverse one, but tiers before what is in them. */
  List<Resource> inOrder(boolean reverse) {
    List<Resource> ordered = new ArrayList<>(reverse ? resources.reversed() : resources);
    ordered.sort(Comparator.comparing(resource -> resource.kind() != Kind.TIER));
    return ordered;
  }

  public static PolicyCase of(String name, Resource... resources) {
    return new PolicyCase(name, List.of(resources), List.of());
  }

  public PolicyCase then(String step, Consumer<PolicyWorld> action) {
    List<Step> more = new ArrayList<>(steps);
    more.add(new Step(step, action));
    return new PolicyCase(name, resources, more);
  }

  /** Replaces a resource of this case. */
  public PolicyCase thenUpdate(Resource changed) {
    return then("updated " + changed.describe(), world -> world.update(changed));
  }

  /** Deletes a resource of this case. */
  public PolicyCase thenDelete(Resource resource) {
    return then(
        "deleted " + resource.describe(), world -> world.datastore().delete(resource.key(), null));
  }
}
