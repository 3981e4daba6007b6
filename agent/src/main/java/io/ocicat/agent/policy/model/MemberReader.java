package io.ocicat.agent.policy.model;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads endpoints and network sets. A value that cannot be read is left out: an endpoint without an
 * address or profile is not let through on their account.
 */
final class MemberReader {
  private final ResourceKey key;
  private final JsonNode spec;
  private final Map<String, String> labels;
  private final Problems problems = new Problems();

  private MemberReader(Resource resource, ObjectNode document) {
    this.key = resource.key();
    this.spec = document.path("spec");
    this.labels = new TreeMap<>(resource.labels());
  }

  static ReadResource<PolicyMember.Workload> workload(Resource resource) {
    return resource.read(document -> new MemberReader(resource, document).workload());
  }

  static ReadResource<PolicyMember.HostEnd> host(Resource resource) {
    return resource.read(document -> new MemberReader(resource, document).host());
  }

  static ReadResource<PolicyMember.Networks> networks(Resource resource) {
    return resource.read(document -> new MemberReader(resource, document).networks());
  }

  private ReadResource<PolicyMember.Workload> workload() {
    WorkloadEndpointName name = WorkloadEndpointName.ofSpec(spec);
    putLabel(PolicyLabels.NAMESPACE, key.namespace());
    putLabel(PolicyLabels.ORCHESTRATOR, name.orchestrator());
    putLabel(PolicyLabels.SERVICE_ACCOUNT, spec.path("serviceAccountName").asString(""));
    PolicyMember.Workload workload =
        new PolicyMember.Workload(
            key,
            labels,
            profiles(),
            nets("ipNetworks"),
            ports(),
            name.node(),
            spec.path("interfaceName").asString(""),
            new PolicyMember.Rank(
                name.orchestrator(), key.namespace() + "/" + name.workload(), name.endpoint()),
            nets("allowSpoofedSourcePrefixes"));
    return new ReadResource<>(workload, problem());
  }

  private ReadResource<PolicyMember.HostEnd> host() {
    String interfaceName = spec.path("interfaceName").asString("");
    List<IpAddress> addresses = new ArrayList<>();
    for (JsonNode item : spec.path("expectedIPs").values()) {
      IpAddress.tryParse(item.asString(""))
          .ifPresentOrElse(addresses::add, () -> leftOut("expectedIPs", item));
    }
    if (spec.path("node").asString("").isEmpty()) {
      problems.add("spec.node", "is missing: it applies to no node");
    } else if (interfaceName.isEmpty() && addresses.isEmpty()) {
      problems.add("spec.interfaceName", "or expectedIPs must be given: it applies to nothing");
    }
    PolicyMember.HostEnd host =
        new PolicyMember.HostEnd(
            key,
            labels,
            profiles(),
            addresses,
            ports(),
            spec.path("node").asString(""),
            interfaceName);
    return new ReadResource<>(host, problem());
  }

  private ReadResource<PolicyMember.Networks> networks() {
    putLabel(PolicyLabels.NAMESPACE, key.namespace());
    List<String> profiles =
        key.namespace().isEmpty()
            ? List.of()
            : List.of(PolicyLabels.NAMESPACE_PROFILE + key.namespace());
    PolicyMember.Networks networks = new PolicyMember.Networks(key, labels, profiles, nets("nets"));
    return new ReadResource<>(networks, problem());
  }

  /** What identifies an endpoint counts more than a label that someone has written. */
  private void putLabel(String label, String value) {
    if (!value.isEmpty()) {
      labels.put(label, value);
    }
  }

  private List<String> profiles() {
    List<String> profiles = new ArrayList<>();
    for (JsonNode item : spec.path("profiles").values()) {
      if (item.isString()) {
        profiles.add(item.stringValue());
      } else {
        leftOut("profiles", item);
      }
    }
    return profiles;
  }

  private List<IpPrefix> nets(String field) {
    List<IpPrefix> nets = new ArrayList<>();
    for (JsonNode item : spec.path(field).values()) {
      StrictFields.network(item.asString(""))
          .ifPresentOrElse(nets::add, () -> leftOut(field, item));
    }
    return nets.stream().distinct().toList();
  }

  private List<NamedPort> ports() {
    List<NamedPort> ports = new ArrayList<>();
    for (JsonNode item : spec.path("ports").values()) {
      try {
        StrictFields port = StrictFields.of(item, "spec.ports");
        String name = port.text("name");
        int protocol = port.protocol("protocol").orElse(Protocols.TCP);
        int number = port.whole("port", 1, 65535).orElse(0);
        if (!name.isEmpty() && number > 0) {
          ports.add(new NamedPort(name, protocol, number));
        }
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()), "(it is left out)");
      }
    }
    return ports;
  }

  private void leftOut(String field, JsonNode item) {
    problems.add(
        "spec." + field,
        "cannot contain %s (it is left out)".formatted(Quoted.brief(item.asString(""))));
  }

  private Optional<String> problem() {
    return problems.isEmpty() ? Optional.empty() : Optional.of(problems.describe());
  }
}
