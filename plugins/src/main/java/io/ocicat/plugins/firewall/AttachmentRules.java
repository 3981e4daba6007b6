package io.ocicat.plugins.firewall;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.plugins.iptables.NftTable;
import io.ocicat.plugins.iptables.TableDraft;
import java.util.List;
import java.util.Optional;

/** All firewall rules of one attachment, in the tables of both families. */
record AttachmentRules(
    String adminChain, List<IpAddress> addresses, Optional<Isolation> isolation) {
  AttachmentRules {
    addresses = List.copyOf(addresses);
  }

  /** The chains that the rules are in. */
  List<String> chains() {
    return List.of(
        NftTable.FORWARD, AcceptRules.CHAIN, adminChain, Isolation.STAGE_1, Isolation.STAGE_2);
  }

  /** Whether there is an address of the family: without one its table stays as it is. */
  boolean concerns(IpFamily family) {
    return !addresses(family).isEmpty();
  }

  void install(TableDraft table, IpFamily family, String label) {
    accept(family).install(table, label);
    isolation.ifPresent(rules -> rules.install(table));
  }

  /** A rule that is missing, as iptables prints it. */
  Optional<String> missing(TableDraft table, IpFamily family) {
    return accept(family).missing(table).or(() -> isolation.flatMap(rules -> rules.missing(table)));
  }

  private AcceptRules accept(IpFamily family) {
    return new AcceptRules(adminChain, addresses(family));
  }

  private List<IpAddress> addresses(IpFamily family) {
    return addresses.stream().filter(address -> IpFamily.of(address) == family).toList();
  }
}
