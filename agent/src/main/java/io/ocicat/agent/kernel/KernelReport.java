package io.ocicat.agent.kernel;

import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.nft.Generation;

/** What the kernel reported. */
public sealed interface KernelReport {
  /** Of links, addresses, routes, neighbours, forwarding entries and sysctls. */
  record OfRouting(Monitor.Event<Record> event) implements KernelReport {}

  /** Of nf_tables. */
  record OfRuleset(Monitor.Event<Generation> event) implements KernelReport {}
}
