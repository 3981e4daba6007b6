package io.ocicat.agent.flannel;

import java.util.List;
import java.util.Set;

/**
 * All that flannel's part of the desired state depends on.
 *
 * @param others the leases of the other nodes
 * @param staleDevices devices of an earlier configuration, which carry addresses of this network
 */
public record FlannelView(
    NetConf conf,
    ExternalInterface external,
    SubnetLease own,
    List<SubnetLease> others,
    Rules rules,
    Set<String> staleDevices) {
  public FlannelView {
    others = List.copyOf(others);
    staleDevices = Set.copyOf(staleDevices);
  }

  /** Which packets are masqueraded and forwarded. */
  record Rules(boolean masquerade, boolean fullyRandom, boolean forward, boolean blackholeRoute) {
    static Rules of(FlannelSettings settings) {
      return new Rules(
          settings.masquerade(),
          settings.masqueradeFullyRandom(),
          settings.forwardRules(),
          settings.blackholeRoute());
    }
  }
}
