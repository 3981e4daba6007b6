package io.ocicat.agent.flannel;

import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonSyntaxException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What matters of a node: its annotations, and its ranges for pods. */
record AnnotatedNode(Map<String, String> annotations, List<IpPrefix> podCidrs) {
  private static final int MAX_DATA = 1 << 16;
  private static final JsonReader JSON =
      new JsonReader(
          MAX_DATA, JsonReader.ANY_NUMBER_OF_TOKENS, JsonReader.DuplicateKeys.LAST_COUNTS);

  AnnotatedNode {
    annotations = Map.copyOf(annotations);
    podCidrs = List.copyOf(podCidrs);
  }

  static AnnotatedNode of(Resource node) {
    Map<String, String> annotations = new HashMap<>();
    List<IpPrefix> cidrs = new ArrayList<>();
    return node.read(
        document -> {
          document
              .path("metadata")
              .path("annotations")
              .forEachEntry((name, value) -> annotations.put(name, value.asString("")));
          document
              .path("status")
              .path("podCIDRs")
              .forEach(it -> IpPrefix.tryParse(it.asString("")).ifPresent(cidrs::add));
          return new AnnotatedNode(annotations, cidrs);
        });
  }

  Optional<IpPrefix> podCidr(IpFamily family) {
    return podCidrs.stream()
        .filter(cidr -> IpFamily.of(cidr.address()) == family)
        .map(IpPrefix::network)
        .findFirst();
  }

  Optional<IpAddress> address(String annotation, IpFamily family) {
    return Optional.ofNullable(annotations.get(annotation))
        .flatMap(IpAddress::tryParse)
        .filter(address -> IpFamily.of(address) == family);
  }

  /** The lease; empty when the node has none. */
  Optional<SubnetLease> lease(String name, AnnotationNames names) {
    IpPrefix v4 = podCidr(IpFamily.V4).orElse(null);
    IpPrefix v6 = podCidr(IpFamily.V6).orElse(null);
    return v4 == null && v6 == null
        ? Optional.empty()
        : attributes(names).map(it -> new SubnetLease(name, new LeaseSubnets(v4, v6), it, 0, true));
  }

  /** What the node has published; empty when flannel does not run there. */
  Optional<LeaseAttributes> attributes(AnnotationNames names) {
    if (!"true".equals(annotations.get(names.managed()))) {
      return Optional.empty();
    }
    IpAddress v4 =
        address(names.publicAddress(IpFamily.V4), IpFamily.V4)
            .filter(it -> !it.isUnspecified())
            .orElse(null);
    return Optional.of(
        new LeaseAttributes(
            v4,
            address(names.publicAddress(IpFamily.V6), IpFamily.V6).orElse(null),
            annotations.getOrDefault(names.backendType(), ""),
            vtep(names.backendData(IpFamily.V4)),
            vtep(names.backendData(IpFamily.V6))));
  }

  private @Nullable VtepData vtep(String annotation) {
    try {
      return VtepData.read(JSON.parse(annotations.getOrDefault(annotation, "null"))).orElse(null);
    } catch (JsonSyntaxException _) {
      return null;
    }
  }
}
