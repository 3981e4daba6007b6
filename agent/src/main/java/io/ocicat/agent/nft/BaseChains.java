package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.FilterSettings.ToHost;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.AddressType;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.CtState;
import io.ocicat.netlink.nft.CtStatus;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.FibFlag;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The chains at the kernel's hooks, which lead packets to the chains of endpoints by the index of
 * their interface:
 *
 * <pre>
 * raw_prerouting    prerouting, raw       links of workloads: known, and the source is theirs;
 *                                         host endpoints: untracked policy
 * raw_output        output, raw           host endpoints: untracked policy
 * pre_dnat          prerouting, mangle    host endpoints: policy before translation
 * input             input, filter         workload to host: egress; host endpoints: ingress
 * input_to_host     input, filter + 1     workload to host: whether it may at all
 * forward_from      forward, filter       by the incoming interface
 * forward_to        forward, filter + 1   by the outgoing interface
 * output            output, filter        host endpoints: egress; to workloads: all that are known
 * translated_output postrouting, mangle   the same for what was translated after routing
 * </pre>
 *
 * An accept ends only the chain of its hook and priority, so a packet between two workloads of the
 * node is asked about twice: as the sender's in {@code forward_from}, as the receiver's in {@code
 * forward_to}.
 *
 * <p>One bit of the mark tells later hooks that policy allowed a packet before translation or
 * before tracking. It is the bit that Felix uses for that, and set on no other packets.
 */
final class BaseChains {
  static final ChainId CHECK_SOURCE = PolicyTable.ID.chain("check_source");

  private static final ChainId TRANSLATED = PolicyTable.ID.chain("translated");

  static final NamedSet RAW_WORKLOADS = map("raw_workloads");
  static final NamedSet FROM_WORKLOAD = map("from_workload");
  static final NamedSet TO_WORKLOAD = map("to_workload");
  static final NamedSet WORKLOADS =
      NamedSet.set(PolicyTable.ID.set("workloads"), DataType.IFACE_INDEX);
  static final NamedSet HOST_RAW_IN = map("host_raw_in");
  static final NamedSet HOST_RAW_OUT = map("host_raw_out");
  static final NamedSet HOST_PRE_DNAT = map("host_pre_dnat");
  static final NamedSet HOST_IN = map("host_in");
  static final NamedSet HOST_OUT = map("host_out");
  static final NamedSet HOST_TRANSLATED_OUT = map("host_translated_out");
  static final NamedSet HOST_FORWARD_IN = map("host_forward_in");
  static final NamedSet HOST_FORWARD_OUT = map("host_forward_out");

  static final List<NamedSet> DISPATCH =
      List.of(
          RAW_WORKLOADS,
          FROM_WORKLOAD,
          TO_WORKLOAD,
          WORKLOADS,
          HOST_RAW_IN,
          HOST_RAW_OUT,
          HOST_PRE_DNAT,
          HOST_IN,
          HOST_OUT,
          HOST_TRANSLATED_OUT,
          HOST_FORWARD_IN,
          HOST_FORWARD_OUT);

  private static final int ALLOWED_MARK = 0x10000;
  private static final int LOOPBACK = 1;
  private static final IpPrefix UNSPECIFIED = IpPrefix.parse("::/128");
  private static final int ICMPV6 = 58;

  /** What a workload asks the host on its own link, before any policy. */
  private static final ConstantSet LINK_MESSAGES =
      ConstantSet.numbers("workload_discovery", DataType.ICMPV6_TYPE, 130, 131, 132, 133, 135, 136);

  private final FilterSettings settings;

  /** The chains of the host endpoint of all other links; empty for none. */
  private final Function<EndpointHook, String> wildcard;

  BaseChains(FilterSettings settings, Function<EndpointHook, String> wildcard) {
    this.settings = settings;
    this.wildcard = wildcard;
  }

  private static NamedSet map(String name) {
    return NamedSet.verdictMap(PolicyTable.ID.set(name), DataType.IFACE_INDEX);
  }

  static Clause markAllowed() {
    return Statement.setMark(ALLOWED_MARK, ALLOWED_MARK);
  }

  private static Clause isMarkedAllowed() {
    return Match.masked(PacketField.MARK, ALLOWED_MARK, ALLOWED_MARK);
  }

  List<RenderedChain> chains() {
    List<RenderedChain> chains = new ArrayList<>();
    chains.add(rawPrerouting());
    chains.add(checkSource());
    chains.add(rawOutput());
    chains.add(preDnat());
    chains.add(input());
    chains.add(inputToHost());
    chains.add(forwardFrom());
    chains.add(forwardTo());
    chains.add(output());
    chains.add(translatedOutput());
    chains.add(translated());
    chains.addAll(Failsafes.chains(settings));
    return chains;
  }

  private RenderedChain rawPrerouting() {
    ChainBuilder chain = new ChainBuilder();
    // A tunnel hands the mark of the outer packet on to the one inside.
    chain.add(isMarkedAllowed(), Statement.setMark(0, ALLOWED_MARK));
    chain.add(Statement.vmap(RAW_WORKLOADS, PacketField.IIF));
    dropUnknown(chain, true);
    passIpv6(chain);
    chain.add(Statement.vmap(HOST_RAW_IN, PacketField.IIF));
    return chain.build(base("raw_prerouting", Hook.PREROUTING, ChainPriority.RAW));
  }

  /** Duplicate address detection and group membership come from no address at all. */
  private RenderedChain checkSource() {
    ChainBuilder chain = new ChainBuilder();
    chain.add(
        Match.source(UNSPECIFIED),
        Match.eq(PacketField.L4PROTO, Value.number(DataType.INET_PROTO, ICMPV6)),
        Statement.accept());
    List<Clause> spoofed = new ArrayList<>();
    spoofed.add(
        Match.eq(
            PacketField.fibOifExists(FibFlag.SADDR, FibFlag.IIF),
            Value.number(DataType.BOOLEAN, 0)));
    spoofed.addAll(
        Denial.because("because the source is not the workload's", FilterHook.UNTRACKED, settings));
    chain.add(spoofed);
    return chain.build(Chain.regular(CHECK_SOURCE));
  }

  private RenderedChain rawOutput() {
    ChainBuilder chain = new ChainBuilder();
    passIpv6(chain);
    chain.add(Statement.vmap(HOST_RAW_OUT, PacketField.OIF));
    return chain.build(base("raw_output", Hook.OUTPUT, ChainPriority.RAW));
  }

  private RenderedChain preDnat() {
    ChainBuilder chain = new ChainBuilder();
    chain.add(Match.in(WORKLOADS, PacketField.IIF), Statement.accept());
    toHostEndpoints(chain, HOST_PRE_DNAT, PacketField.IIF, EndpointHook.PRE_DNAT);
    return chain.build(base("pre_dnat", Hook.PREROUTING, ChainPriority.MANGLE));
  }

  private RenderedChain input() {
    ChainBuilder chain = new ChainBuilder();
    chain.constant(LINK_MESSAGES);
    chain.add(
        Match.in(WORKLOADS, PacketField.IIF),
        Match.in(LINK_MESSAGES.set(), PacketField.ICMPV6_TYPE),
        Statement.accept());
    chain.add(Statement.vmap(FROM_WORKLOAD, PacketField.IIF));
    dropUnknown(chain, true);
    toHostEndpoints(chain, HOST_IN, PacketField.IIF, EndpointHook.HOST_IN);
    return chain.build(base("input", Hook.INPUT, ChainPriority.FILTER));
  }

  private RenderedChain inputToHost() {
    ChainBuilder chain = new ChainBuilder();
    if (settings.toHost() == ToHost.DROP) {
      Clause fromWorkload = Match.in(WORKLOADS, PacketField.IIF);
      chain.constant(LINK_MESSAGES);
      chain.add(Match.state(CtState.ESTABLISHED, CtState.RELATED), Statement.accept());
      chain.add(
          fromWorkload, Match.in(LINK_MESSAGES.set(), PacketField.ICMPV6_TYPE), Statement.accept());
      List<Clause> denied = new ArrayList<>();
      denied.add(fromWorkload);
      denied.addAll(Denial.because("because it is to the host", FilterHook.FILTER, settings));
      chain.add(denied);
    }
    return chain.build(base("input_to_host", Hook.INPUT, ChainPriority.FILTER + 1));
  }

  private RenderedChain forwardFrom() {
    ChainBuilder chain = new ChainBuilder();
    chain.add(Statement.vmap(FROM_WORKLOAD, PacketField.IIF));
    dropUnknown(chain, true);
    toHostEndpoints(chain, HOST_FORWARD_IN, PacketField.IIF, EndpointHook.FORWARD_IN);
    return chain.build(base("forward_from", Hook.FORWARD, ChainPriority.FILTER));
  }

  private RenderedChain forwardTo() {
    ChainBuilder chain = new ChainBuilder();
    chain.add(Statement.vmap(TO_WORKLOAD, PacketField.OIF));
    dropUnknown(chain, false);
    passIpv6(chain);
    chain.add(Statement.vmap(HOST_FORWARD_OUT, PacketField.OIF));
    toWildcard(chain, PacketField.OIF, EndpointHook.FORWARD_OUT);
    return chain.build(base("forward_to", Hook.FORWARD, ChainPriority.FILTER + 1));
  }

  /** A translated packet may have another outgoing interface than the one known here. */
  private RenderedChain output() {
    ChainBuilder chain = new ChainBuilder();
    chain.add(Match.status(CtStatus.DNAT), Statement.accept());
    toKnownWorkloads(chain);
    toHostEndpoints(chain, HOST_OUT, PacketField.OIF, EndpointHook.HOST_OUT);
    return chain.build(base("output", Hook.OUTPUT, ChainPriority.FILTER));
  }

  /** Few packets are, so the others are told apart first. */
  private RenderedChain translatedOutput() {
    return new ChainBuilder()
        .add(Match.status(CtStatus.DNAT), Statement.goTo(TRANSLATED))
        .build(base("translated_output", Hook.POSTROUTING, ChainPriority.MANGLE));
  }

  /** Only those of the host itself: others were asked about when they were forwarded. */
  private RenderedChain translated() {
    ChainBuilder chain = new ChainBuilder();
    chain.add(
        Match.ne(
            PacketField.fibType(FibFlag.SADDR),
            Value.number(DataType.FIB_ADDRTYPE, AddressType.LOCAL.number())),
        Statement.accept());
    toKnownWorkloads(chain);
    toHostEndpoints(chain, HOST_TRANSLATED_OUT, PacketField.OIF, EndpointHook.HOST_TRANSLATED_OUT);
    return chain.build(Chain.regular(TRANSLATED));
  }

  private void toKnownWorkloads(ChainBuilder chain) {
    chain.add(Match.in(WORKLOADS, PacketField.OIF), Statement.accept());
    dropUnknown(chain, false);
  }

  private void toHostEndpoints(
      ChainBuilder chain, NamedSet map, PacketField link, EndpointHook hook) {
    passIpv6(chain);
    chain.add(isMarkedAllowed(), Statement.accept());
    chain.add(Statement.vmap(map, link));
    toWildcard(chain, link, hook);
  }

  private void toWildcard(ChainBuilder chain, PacketField link, EndpointHook hook) {
    String rest = wildcard.apply(hook);
    if (!rest.isEmpty()) {
      chain.add(
          Match.ne(link, Value.interfaceIndex(LOOPBACK)),
          Statement.goTo(PolicyTable.ID.chain(rest)));
    }
  }

  /** Without support for IPv6, policy says nothing about the host's. */
  private void passIpv6(ChainBuilder chain) {
    if (!settings.ipv6()) {
      chain.add(FamilyFields.of(IpFamily.V6).match(), Statement.accept());
    }
  }

  private void dropUnknown(ChainBuilder chain, boolean incoming) {
    for (String prefix : settings.workloadPrefixes()) {
      List<Clause> clauses = new ArrayList<>();
      clauses.add(incoming ? Match.inInterfacePrefix(prefix) : Match.outInterfacePrefix(prefix));
      clauses.addAll(
          Denial.because(
              "because no workload endpoint is known for the interface",
              FilterHook.UNTRACKED,
              settings));
      chain.add(clauses);
    }
  }

  private static Chain base(String name, Hook hook, int priority) {
    return Chain.base(PolicyTable.ID.chain(name), ChainType.FILTER, hook, priority);
  }
}
