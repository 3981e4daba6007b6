package io.ocicat.agent.view;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A BGPFilter: rules for the routes that peers get and send.
 *
 * @param problems the rules that are left out because they are not valid, with the reason
 */
public record BgpFilter(
    String name,
    List<BgpFilterRule> exportV4,
    List<BgpFilterRule> importV4,
    List<BgpFilterRule> exportV6,
    List<BgpFilterRule> importV6,
    List<String> problems) {
  public BgpFilter {
    exportV4 = List.copyOf(exportV4);
    importV4 = List.copyOf(importV4);
    exportV6 = List.copyOf(exportV6);
    importV6 = List.copyOf(importV6);
    problems = List.copyOf(problems);
  }

  static BgpFilter of(Resource resource) {
    List<String> problems = new ArrayList<>();
    return BgpValues.read(
        resource,
        spec ->
            new BgpFilter(
                resource.key().name(),
                rules(spec, "exportV4", true, problems),
                rules(spec, "importV4", true, problems),
                rules(spec, "exportV6", false, problems),
                rules(spec, "importV6", false, problems),
                problems));
  }

  private static List<BgpFilterRule> rules(
      JsonNode spec, String list, boolean v4, List<String> problems) {
    List<BgpFilterRule> rules = new ArrayList<>();
    int index = 0;
    for (JsonNode rule : spec.path(list).values()) {
      try {
        rules.add(BgpFilterRule.read(rule, v4));
      } catch (IllegalArgumentException e) {
        problems.add("%s[%d] is left out: %s".formatted(list, index, e.getMessage()));
      }
      index++;
    }
    return rules;
  }

  /** The rules for routes that are advertised. */
  public List<BgpFilterRule> exports(IpFamily family) {
    return family == IpFamily.V4 ? exportV4 : exportV6;
  }

  /** The rules for routes that are learned. */
  public List<BgpFilterRule> imports(IpFamily family) {
    return family == IpFamily.V4 ? importV4 : importV6;
  }
}
