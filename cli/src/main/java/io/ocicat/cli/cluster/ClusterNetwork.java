package io.ocicat.cli.cluster;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How pods of different nodes reach each other. */
public enum ClusterNetwork {
  /** Calico without encapsulation: each node routes to the others. */
  CALICO("Never"),
  /** Calico with VXLAN between all nodes. */
  CALICO_VXLAN("Always");

  static final String POOL = "10.65.0.0/16";
  static final String POOL_6 = "fd65::/64";

  private final String vxlan;

  ClusterNetwork(String vxlan) {
    this.vxlan = vxlan;
  }

  /** As users write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What {@code ocicat node} is told of it, by Calico's names. */
  Map<String, String> environment(boolean dualStack) {
    Map<String, String> variables = new TreeMap<>();
    variables.put("CALICO_IPV4POOL_CIDR", POOL);
    variables.put("CALICO_IPV4POOL_IPIP", "Never");
    variables.put("CALICO_IPV4POOL_VXLAN", vxlan);
    variables.put("CALICO_IPV4POOL_NAT_OUTGOING", "true");
    variables.put("FELIX_IPV6SUPPORT", Boolean.toString(dualStack));
    if (dualStack) {
      variables.put("CALICO_IPV6POOL_CIDR", POOL_6);
      variables.put("CALICO_IPV6POOL_VXLAN", vxlan);
      variables.put("CALICO_IPV6POOL_NAT_OUTGOING", "true");
    }
    return variables;
  }

  /** The file in the nodes' network directory. */
  String conflist(ClusterSpec spec) {
    return """
        {
          "cniVersion": "1.0.0",
          "name": "k8s-pod-network",
          "plugins": [
            {"type": "calico", %s,
             "ipam": {"type": "calico-ipam", "assign_ipv4": "true", "assign_ipv6": "%s"},
             "policy": {"type": "k8s"}},
            {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}}
          ]
        }
        """
        .formatted(spec.datastore().cniMembers(), spec.dualStack());
  }

  static final class Converter implements ITypeConverter<ClusterNetwork> {
    @Override
    public ClusterNetwork convert(String text) {
      for (ClusterNetwork network : values()) {
        if (network.label().equals(text)) {
          return network;
        }
      }
      throw new TypeConversionException(
          "\"%s\" is not a network: use %s"
              .formatted(
                  text,
                  Arrays.stream(values())
                      .map(ClusterNetwork::label)
                      .collect(Collectors.joining(" or "))));
    }
  }
}
