package io.ocicat.plugins.portmap;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PortMapping;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.NatRange;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The host ports that one attachment claims, and the kernel objects they consist of.
 *
 * @param label the owner's, the comment of all that is its own
 * @param conflicts the conflicts: which parts have to wait
 */
record PortClaim(String label, PortmapConf conf, List<Forward> forwards, PortConflicts conflicts) {
  PortClaim {
    forwards = List.copyOf(forwards);
  }

  PortClaim(String label, PortmapConf conf, List<Forward> forwards) {
    this(label, conf, forwards, PortConflicts.FIRST);
  }

  PortClaim at(PortConflicts place) {
    return new PortClaim(label, conf, forwards, place);
  }

  /** The forwards that need not wait. */
  List<Forward> effective() {
    return forwards.stream().filter(forward -> !conflicts.hasToWait(forward)).toList();
  }

  /**
   * The claim of a configuration for a container with these addresses, at most one per family.
   *
   * @throws CniException with code 7 when it forwards one port to two places
   */
  static PortClaim of(String label, PortmapConf conf, List<ContainerAddress> places) {
    Map<HostPort, Forward> forwards = new LinkedHashMap<>();
    for (ContainerAddress place : places) {
      for (PortMapping mapping : conf.mappings()) {
        IpAddress hostIp = mapping.hostIp();
        if (hostIp != null && hostIp.isV4() != place.address().isV4()) {
          continue;
        }
        HostPort port =
            new HostPort(
                hostIp == null ? HostPort.allLike(place.address()) : hostIp,
                mapping.protocol(),
                mapping.hostPort());
        Forward forward = new Forward(port, place, mapping.containerPort());
        Forward other = forwards.putIfAbsent(port, forward);
        if (other != null && !other.equals(forward)) {
          throw new CniException(
              ErrorCode.INVALID_NETWORK_CONFIG,
              "runtimeConfig.portMappings leads host port %s to two ports of the container, %d and %d"
                  .formatted(port, other.containerPort(), forward.containerPort()));
        }
      }
    }
    return new PortClaim(label, conf, List.copyOf(forwards.values()));
  }

  /** The forwards without conditions; {@link #rules()} has the others. */
  List<Forward> forwardsByMap() {
    return forwards.stream()
        .filter(forward -> conf.conditions(FamilySets.of(forward)).isNone())
        .toList();
  }

  /** All elements, each once. */
  Set<SetElement> entries() {
    Set<SetElement> entries = new LinkedHashSet<>();
    for (FamilySets family : FamilySets.BOTH) {
      List<Forward> own = forwards.stream().filter(f -> FamilySets.of(f) == family).toList();
      for (int i = 0; i < own.size(); i++) {
        entries.add(family.owned(label, i, own.get(i)));
      }
      own.forEach(forward -> entries.addAll(masqueraded(family, forward)));
    }
    forwardsByMap().forEach(forward -> entries.add(byMap(forward)));
    return entries.stream()
        .map(entry -> entry.withComment(label))
        .collect(LinkedHashSet::new, Set::add, Set::addAll);
  }

  private SetElement byMap(Forward forward) {
    FamilySets family = FamilySets.of(forward);
    return conflicts.hasToWait(forward) ? family.waiting(label, forward) : family.forward(forward);
  }

  /** The clients that must be masqueraded, because the container could not reply to them. */
  private List<SetElement> masqueraded(FamilySets family, Forward forward) {
    ContainerAddress container = forward.container();
    if (!conf.snat()) {
      return List.of();
    }
    if (conf.masqAll()) {
      return List.of(family.masqAll(container));
    }
    List<SetElement> entries = new ArrayList<>();
    entries.add(family.self(container));
    if (container.hasLink()) {
      entries.add(family.link(container));
    }
    if (forward.port().isOnLoopback()) {
      entries.add(family.loopback(container));
    }
    return entries;
  }

  /** The containers that programs on the host reach through its loopback address. */
  Set<ContainerAddress> loopbackAddresses() {
    return forwards.stream()
        .filter(forward -> conf.snat() && forward.port().isOnLoopback())
        .map(Forward::container)
        .filter(ContainerAddress::hasLink)
        .collect(Collectors.toSet());
  }

  /** The rules of the forwards with conditions. */
  List<Rule> rules() {
    List<Rule> rules = new ArrayList<>();
    for (Forward forward : forwards) {
      Conditions conditions = conf.conditions(FamilySets.of(forward));
      if (!conditions.isNone()) {
        conditions.alternatives().forEach(one -> rules.add(rule(one, forward)));
      }
    }
    return rules;
  }

  private Rule rule(List<Clause> conditions, Forward forward) {
    List<Clause> clauses = new ArrayList<>(conditions);
    HostPort port = forward.port();
    if (!port.isOnAllAddresses()) {
      clauses.add(Match.destination(IpPrefix.host(port.address())));
    }
    clauses.add(Match.destinationPort(FamilySets.l4(port.protocol()), port.number()));
    clauses.add(Nat.dnat(NatRange.of(forward.container().address(), forward.containerPort())));
    Rule rule = new Rule(PortmapTable.CONDITIONAL, clauses, label);
    try {
      rule.expressions();
    } catch (IllegalArgumentException e) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "conditions%s can never hold for host port %s: %s"
              .formatted(FamilySets.of(forward), port, e.getMessage()),
          e);
    }
    return rule;
  }

  /**
   * The requests that create all of it. EEXIST when something already exists: it is the owner's
   * from before, or a port belongs to somebody else.
   */
  List<NetlinkRequest> requests() {
    List<NetlinkRequest> requests = new ArrayList<>();
    forwardsByMap().stream()
        .filter(conflicts::needsFree)
        .forEach(forward -> requests.addAll(FamilySets.of(forward).requireWiderFree(forward)));
    entries().forEach(entry -> requests.add(entry.create()));
    rules().forEach(rule -> requests.add(Rules.append(rule)));
    return requests;
  }
}
