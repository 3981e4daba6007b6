package io.ocicat.cli.policy;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.agent.policy.explain.PolicySnapshot;
import io.ocicat.agent.policy.explain.ProtocolNames;
import io.ocicat.agent.policy.model.NamedPort;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.Protocols;
import io.ocicat.agent.policy.model.TieredPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The flows that stand for all others between two pods: for each protocol the ports at which rules
 * begin or end to match, the ports that pods name, and one that no rule mentions; and an echo
 * request.
 */
final class TriedFlows {
  private static final int MAX_PORT = 65535;

  private final SortedMap<Integer, SortedSet<Integer>> ports = new TreeMap<>();

  private TriedFlows() {
    ports.put(Protocols.TCP, new TreeSet<>());
    ports.put(Protocols.UDP, new TreeSet<>());
  }

  /** By a description for people. */
  static Map<String, FlowPort> of(PolicySnapshot before, PolicySnapshot after) {
    TriedFlows flows = new TriedFlows();
    flows.add(before);
    flows.add(after);
    return flows.described();
  }

  private void add(PolicySnapshot snapshot) {
    for (TieredPolicy policy : snapshot.policies()) {
      for (PolicyDirection direction : PolicyDirection.values()) {
        policy.rules(direction).forEach(this::add);
      }
    }
    for (PolicyMember.Workload workload : snapshot.workloads()) {
      for (NamedPort port : workload.ports()) {
        add(port.protocol(), port.port());
      }
    }
  }

  private void add(PolicyRule rule) {
    int protocol = rule.protocol().orElse(0);
    if (!Protocols.hasPorts(protocol)) {
      return;
    }
    List<PortRange> ranges = new ArrayList<>(rule.destination().ports());
    ranges.addAll(rule.destination().notPorts());
    for (PortRange range : ranges) {
      add(protocol, range.first());
      add(protocol, range.last());
    }
    ports.computeIfAbsent(protocol, _ -> new TreeSet<>());
  }

  private void add(int protocol, int port) {
    if (port > 0) {
      ports.computeIfAbsent(protocol, _ -> new TreeSet<>()).add(port);
    }
  }

  private Map<String, FlowPort> described() {
    Map<String, FlowPort> described = new LinkedHashMap<>();
    ports.forEach(
        (protocol, numbers) -> {
          for (int number : numbers) {
            FlowPort flow = FlowPort.of(protocol, number);
            described.put(flow.toString(), flow);
          }
          int other = MAX_PORT;
          while (other > 1 && numbers.contains(other)) {
            other--;
          }
          described.put(
              (numbers.isEmpty() ? "%s" : "other %s ports").formatted(ProtocolNames.of(protocol)),
              FlowPort.of(protocol, other));
        });
    described.put(FlowPort.PING.toString(), FlowPort.PING);
    return described;
  }
}
