package io.ocicat.plugins.firewall;

import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.iptables.IptablesRule;
import io.ocicat.plugins.iptables.NftTable;
import io.ocicat.plugins.iptables.TableDraft;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rules that accept what containers send, and the replies. The administrator's chain decides
 * first. Each rule is exactly the Go plugin's, so that either plugin removes what the other
 * created.
 */
record AcceptRules(String adminChain, List<IpAddress> addresses) {
  static final String CHAIN = "CNI-FORWARD";
  static final String ADMIN_CHAIN = "CNI-ADMIN";

  static final IptablesRule ENTRY = IptablesRule.to(CHAIN).commented("CNI firewall plugin rules");

  AcceptRules {
    addresses = List.copyOf(addresses);
  }

  /** Adds them, each with a note that names the owner of its address. */
  void install(TableDraft table, String label) {
    Stream.of(NftTable.FORWARD, CHAIN, adminChain).forEach(table::ensureChain);
    table.ensureFirst(NftTable.FORWARD, ENTRY);
    table.ensureFirst(CHAIN, adminEntry());
    for (IpAddress address : addresses) {
      for (IptablesRule rule : rules(address)) {
        table.ensure(CHAIN, rule, label);
      }
    }
  }

  static void remove(TableDraft table, Collection<IpAddress> addresses) {
    for (IpAddress address : addresses) {
      table.remove(CHAIN, rules(address)::contains);
    }
  }

  /** The first rule that is missing, as iptables prints it. */
  Optional<String> missing(TableDraft table) {
    return Stream.concat(
            Stream.of(new Placed(NftTable.FORWARD, ENTRY), new Placed(CHAIN, adminEntry())),
            addresses.stream()
                .flatMap(address -> rules(address).stream())
                .map(rule -> new Placed(CHAIN, rule)))
        .filter(placed -> !table.has(placed.chain, placed.rule))
        .map(Placed::toString)
        .findFirst();
  }

  private record Placed(String chain, IptablesRule rule) {
    @Override
    public String toString() {
      return "-A %s %s".formatted(chain, rule);
    }
  }

  private IptablesRule adminEntry() {
    return IptablesRule.to(adminChain).commented("CNI firewall plugin admin overrides");
  }

  private static List<IptablesRule> rules(IpAddress address) {
    IptablesRule accept = IptablesRule.to(IptablesRule.ACCEPT);
    return List.of(accept.towards(address).ofKnownConnections(), accept.from(address));
  }
}
