package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.netlink.nft.CtState;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.Statement;

/** For which packets an endpoint's rules are asked, and what comes before them. */
enum EndpointHook {
  TO_WORKLOAD(FilterHook.FILTER, "ingress"),
  FROM_WORKLOAD(FilterHook.FILTER, "egress"),
  HOST_IN(FilterHook.FILTER, "ingress"),
  HOST_OUT(FilterHook.FILTER, "egress"),
  /** Packets of the host whose destination was translated. */
  HOST_TRANSLATED_OUT(FilterHook.POSTROUTING, "egress"),
  FORWARD_IN(FilterHook.FILTER, "ingress"),
  FORWARD_OUT(FilterHook.FILTER, "egress"),
  PRE_DNAT(FilterHook.PRE_DNAT, "ingress"),
  UNTRACKED_IN(FilterHook.UNTRACKED, "ingress"),
  UNTRACKED_OUT(FilterHook.UNTRACKED, "egress");

  private final FilterHook hook;
  private final String direction;

  EndpointHook(FilterHook hook, String direction) {
    this.hook = hook;
    this.direction = direction;
  }

  FilterHook hook() {
    return hook;
  }

  String direction() {
    return direction;
  }

  /** Packets of known connections go on, then what a host must not be cut off from. */
  void addPreamble(ChainBuilder chain, FilterSettings settings) {
    if (hook != FilterHook.UNTRACKED) {
      chain.add(Match.state(CtState.ESTABLISHED, CtState.RELATED), Statement.accept());
      if (settings.dropInvalid()) {
        chain.add(Match.state(CtState.INVALID), Statement.counter(), Statement.drop());
      }
    }
    switch (this) {
      case TO_WORKLOAD, FROM_WORKLOAD, FORWARD_IN, FORWARD_OUT -> {}
      case HOST_IN, PRE_DNAT -> chain.add(Statement.jump(Failsafes.IN));
      case HOST_OUT, HOST_TRANSLATED_OUT -> chain.add(Statement.jump(Failsafes.OUT));
      case UNTRACKED_IN -> chain.add(Statement.jump(Failsafes.RAW_IN));
      case UNTRACKED_OUT -> chain.add(Statement.jump(Failsafes.RAW_OUT));
    }
  }
}
