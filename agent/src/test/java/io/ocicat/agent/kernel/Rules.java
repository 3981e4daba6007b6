package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.PeerMatch;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Rules for tests, each with one criterion or two. */
final class Rules {
  static final int TCP = 6;
  static final int UDP = 17;
  static final MemberSetId IPS = new MemberSetId("s:ips", MemberSetId.Type.NETWORKS);
  static final MemberSetId NETS = new MemberSetId("s:nets", MemberSetId.Type.NETWORKS);
  static final MemberSetId PORTS = new MemberSetId("n:ports", MemberSetId.Type.PORTS);

  static final Map<MemberSetId, List<SetMember>> SETS =
      Map.of(
          IPS, List.of(network("10.65.0.9/32"), network("fd00:65::9/128")),
          NETS, List.of(network("10.9.0.0/16"), network("10.9.3.0/24"), network("10.8.0.1/32")),
          PORTS, List.of(new SetMember.Port(IpAddress.parse("10.65.0.1"), TCP, 80)));

  /** More expressions than a rule of the kernel can have. */
  static final FilterRule TOO_LONG = allow(0).source(with().sets(Collections.nCopies(70, IPS)));

  static final List<FilterRule> EVERYTHING = everything();

  private Rules() {}

  static SetMember network(String prefix) {
    return new SetMember.Network(IpPrefix.parse(prefix));
  }

  static Draft allow(int protocol) {
    return new Draft(PolicyAction.ALLOW, protocol);
  }

  static Draft rule(PolicyAction action, int protocol) {
    return new Draft(action, protocol);
  }

  static Peer with() {
    return new Peer();
  }

  private static List<FilterRule> everything() {
    List<FilterRule> all = new ArrayList<>();
    all.add(allow(0).source(with().nets("10.0.0.0/8", "fd00::/8")));
    all.add(allow(TCP).destination(with().ports("80", "443", "8000:8100")));
    all.add(allow(UDP).source(with().notNets("10.1.0.0/16", "10.2.0.0/16")));
    all.add(allow(0).source(with().sets(List.of(IPS))));
    all.add(allow(0).source(with().sets(List.of(NETS)).notSets(List.of(IPS))));
    all.add(
        allow(TCP).destination(with().ports("81").namedPorts(List.of(PORTS)).notPorts("82", "84")));
    all.add(allow(0).destination(with().services(List.of(PORTS))));
    all.add(allow(1).icmp(8, 0));
    all.add(allow(58).notIcmp(128, 0));
    all.add(rule(PolicyAction.LOG, 0).done());
    all.add(rule(PolicyAction.DENY, 136).destination(with().ports("7")));
    return List.copyOf(all);
  }

  /** One side of a rule. */
  static final class Peer {
    private List<IpPrefix> nets = List.of();
    private List<IpPrefix> notNets = List.of();
    private List<MemberSetId> sets = List.of();
    private List<MemberSetId> notSets = List.of();
    private List<PortRange> ports = List.of();
    private List<MemberSetId> namedPorts = List.of();
    private List<PortRange> notPorts = List.of();
    private List<MemberSetId> notNamedPorts = List.of();
    private List<MemberSetId> services = List.of();

    Peer nets(String... prefixes) {
      nets = prefixes(prefixes);
      return this;
    }

    Peer notNets(String... prefixes) {
      notNets = prefixes(prefixes);
      return this;
    }

    Peer sets(List<MemberSetId> ids) {
      sets = ids;
      return this;
    }

    Peer notSets(List<MemberSetId> ids) {
      notSets = ids;
      return this;
    }

    Peer ports(String... ranges) {
      ports = ranges(ranges);
      return this;
    }

    Peer namedPorts(List<MemberSetId> ids) {
      namedPorts = ids;
      return this;
    }

    Peer notPorts(String... ranges) {
      notPorts = ranges(ranges);
      return this;
    }

    Peer notNamedPorts(List<MemberSetId> ids) {
      notNamedPorts = ids;
      return this;
    }

    Peer services(List<MemberSetId> ids) {
      services = ids;
      return this;
    }

    private static List<IpPrefix> prefixes(String... texts) {
      return List.of(texts).stream().map(IpPrefix::parse).toList();
    }

    private static List<PortRange> ranges(String... texts) {
      return List.of(texts).stream()
          .map(
              text -> {
                List<String> ends = List.of(text.split(":", -1));
                return new PortRange(
                    Integer.parseInt(ends.getFirst()), Integer.parseInt(ends.getLast()));
              })
          .toList();
    }

    PeerMatch match() {
      return new PeerMatch(
          nets, notNets, sets, notSets, ports, namedPorts, notPorts, notNamedPorts, services);
    }
  }

  /** A rule without its peers; protocol 0 is any. */
  record Draft(PolicyAction action, int protocol) {
    FilterRule source(Peer peer) {
      return rule(Optional.empty(), Optional.empty(), Optional.empty(), peer, with());
    }

    FilterRule destination(Peer peer) {
      return rule(Optional.empty(), Optional.empty(), Optional.empty(), with(), peer);
    }

    FilterRule family(IpFamily family) {
      return rule(Optional.of(family), Optional.empty(), Optional.empty(), with(), with());
    }

    FilterRule icmp(int type, int code) {
      return rule(Optional.empty(), icmpMatch(type, code), Optional.empty(), with(), with());
    }

    FilterRule notIcmp(int type, int code) {
      return rule(Optional.empty(), Optional.empty(), icmpMatch(type, code), with(), with());
    }

    FilterRule done() {
      return rule(Optional.empty(), Optional.empty(), Optional.empty(), with(), with());
    }

    private static Optional<IcmpMatch> icmpMatch(int type, int code) {
      return Optional.of(
          new IcmpMatch(type, code < 0 ? OptionalInt.empty() : OptionalInt.of(code)));
    }

    private FilterRule rule(
        Optional<IpFamily> family,
        Optional<IcmpMatch> icmp,
        Optional<IcmpMatch> notIcmp,
        Peer source,
        Peer destination) {
      return new FilterRule(
          0,
          action,
          family,
          protocol == 0 ? OptionalInt.empty() : OptionalInt.of(protocol),
          OptionalInt.empty(),
          icmp,
          notIcmp,
          source.match(),
          destination.match());
    }
  }
}
