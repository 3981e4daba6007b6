package io.ocicat.agent.matrix;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a selector can select: a workload endpoint, a host endpoint or a network set.
 *
 * @param labels its own and those of its profiles
 * @param nets its addresses
 * @param node of a workload or host endpoint
 * @param interfaceName of a workload or host endpoint
 * @param profiles in their order
 */
record KnownEndpoint(
    Type type,
    String name,
    Map<String, String> labels,
    List<IpPrefix> nets,
    List<NamedPort> ports,
    List<String> profiles,
    String node,
    String interfaceName) {
  static final String NAMESPACE_LABEL = "projectcalico.org/namespace";
  static final String ORCHESTRATOR_LABEL = "projectcalico.org/orchestrator";
  static final String ACCOUNT_LABEL = "projectcalico.org/serviceaccount";
  private static final String NAMESPACE_PREFIX = "pcns.";
  private static final String ACCOUNT_PREFIX = "pcsa.";

  enum Type {
    WORKLOAD,
    HOST,
    NETWORK_SET
  }

  record NamedPort(String name, int protocol, int port) {}

  boolean has(IpAddress address) {
    return nets.stream().anyMatch(net -> net.contains(address));
  }

  boolean declares(String portName, int protocol, int port) {
    return ports.contains(new NamedPort(portName, protocol, port));
  }

  /** Empty for what is in no namespace. */
  String namespace() {
    return labels.getOrDefault(NAMESPACE_LABEL, "");
  }

  boolean isPod() {
    return type == Type.WORKLOAD && "k8s".equals(labels.get(ORCHESTRATOR_LABEL));
  }

  /** The labels of its namespace. */
  Map<String, String> namespaceLabels() {
    return stripped(NAMESPACE_PREFIX);
  }

  /** The labels of its service account. */
  Map<String, String> accountLabels() {
    return stripped(ACCOUNT_PREFIX);
  }

  private Map<String, String> stripped(String prefix) {
    return labels.entrySet().stream()
        .filter(label -> label.getKey().startsWith(prefix))
        .collect(
            Collectors.toMap(
                label -> label.getKey().substring(prefix.length()), Map.Entry::getValue));
  }

  /** Own labels win over inherited ones, and those of the first profile over the others. */
  static Map<String, String> inherit(Map<String, String> own, Stream<Map<String, String>> more) {
    Map<String, String> all = new HashMap<>(own);
    more.forEach(labels -> labels.forEach(all::putIfAbsent));
    return all;
  }
}
