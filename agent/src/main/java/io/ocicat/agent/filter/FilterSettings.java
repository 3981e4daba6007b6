package io.ocicat.agent.filter;

import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;

/**
 * What holds for the whole filter, by Felix's parameters.
 *
 * @param workloadPrefixes a link whose name starts with one of these is a workload's: packets of
 *     one that no {@link WorkloadFilter} names are dropped
 * @param reject whether denied packets are answered instead of dropped
 * @param dropInvalid whether packets that connection tracking cannot place are dropped
 * @param logPrefix of lines in the kernel's log; {@code %t}, {@code %k}, {@code %n}, {@code %p}
 *     stand for tier, kind, name and namespaced name
 * @param failsafeIngress ports of the host that no policy of a host endpoint closes
 * @param failsafeEgress ports of others that no policy of a host endpoint closes
 */
public record FilterSettings(
    List<String> workloadPrefixes,
    boolean ipv6,
    ToHost toHost,
    boolean reject,
    boolean dropInvalid,
    String logPrefix,
    List<Failsafe> failsafeIngress,
    List<Failsafe> failsafeEgress) {

  /** What becomes of packets from a workload to the host that its egress policy allows. */
  public enum ToHost {
    DROP,
    ACCEPT,
    /** The host's own firewall decides. */
    RETURN
  }

  /**
   * A port that stays open.
   *
   * @param protocol the number in the IP header
   * @param net empty for any peer
   */
  public record Failsafe(int protocol, int port, Optional<IpPrefix> net) {}

  public FilterSettings {
    workloadPrefixes = List.copyOf(workloadPrefixes);
    failsafeIngress = List.copyOf(failsafeIngress);
    failsafeEgress = List.copyOf(failsafeEgress);
  }
}
