package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.L4Protocol.TCP;
import static io.ocicat.netlink.nft.RuleCases.ip;
import static io.ocicat.netlink.nft.RuleCases.prefix;

import java.util.List;

/** Rules that translate addresses, each with its text in nft's syntax. */
final class TranslationCases {
  private TranslationCases() {}

  static void addIpv4(RuleCases cases) {
    cases.add(
        "ip saddr 10.0.0.1 masquerade", Match.source(prefix("10.0.0.1/32")), Nat.masquerade());
    cases.add("masquerade random", Nat.masquerade(NatFlag.RANDOM));
    cases.add(
        "masquerade fully-random,persistent",
        Nat.masquerade(NatFlag.FULLY_RANDOM, NatFlag.PERSISTENT));
    cases.add(
        "meta l4proto tcp masquerade to :1024-65535 random",
        Match.l4proto(TCP),
        Nat.masquerade(NatRange.Ports.of(1024, 65535), NatFlag.RANDOM));
    cases.add(
        "tcp dport 81 redirect to :8080",
        Match.destinationPort(TCP, 81),
        Nat.redirect(NatRange.Ports.of(8080)));
    cases.add("redirect", Nat.redirect());
    nat(cases, "dnat%s to 10.0.0.2", Nat.dnat(NatRange.of(ip("10.0.0.2"))));
    nat(
        cases,
        "snat%s to 10.0.0.2 persistent",
        Nat.snat(NatRange.of(ip("10.0.0.2")), NatFlag.PERSISTENT));
    nat(
        cases,
        "tcp dport 80 dnat%s to 10.0.0.2:8080",
        Match.destinationPort(TCP, 80),
        Nat.dnat(NatRange.of(ip("10.0.0.2"), 8080)));
    nat(
        cases,
        "tcp dport 80 dnat%s to 10.0.0.2-10.0.0.9:8080-8090 random",
        Match.destinationPort(TCP, 80),
        Nat.dnat(
            new NatRange(ip("10.0.0.2"), ip("10.0.0.9"), NatRange.Ports.of(8080, 8090)),
            NatFlag.RANDOM));
    cases.add(
        "dnat ip to meta l4proto . th dport map @targets",
        Nat.dnat(cases.targets, List.of(PacketField.L4PROTO, PacketField.TH_DPORT)));
    nat(
        cases,
        "dnat%s to tcp dport map @plain_targets",
        Nat.dnat(cases.plainTargets, List.of(PacketField.TCP_DPORT)));
    nat(
        cases,
        "snat%s to tcp dport map @plain_targets",
        Nat.snat(cases.plainTargets, List.of(PacketField.TCP_DPORT)));
  }

  static void addIpv6(RuleCases cases) {
    nat(cases, "dnat%s to fd00::2", Nat.dnat(NatRange.of(ip("fd00::2"))));
    nat(
        cases,
        "tcp dport 80 dnat%s to [fd00::2]:8080",
        Match.destinationPort(TCP, 80),
        Nat.dnat(NatRange.of(ip("fd00::2"), 8080)));
    nat(
        cases,
        "tcp dport 80 snat%s to [fd00::2]-[fd00::9]:8080-8090",
        Match.destinationPort(TCP, 80),
        Nat.snat(new NatRange(ip("fd00::2"), ip("fd00::9"), NatRange.Ports.of(8080, 8090))));
    cases.add(
        "dnat ip6 to ip6 daddr . meta l4proto . th dport map @targets6",
        Nat.dnat(
            cases.targets6,
            List.of(PacketField.IP6_DADDR, PacketField.L4PROTO, PacketField.TH_DPORT)));
  }

  /** In a table of both families nft names the one that is translated. */
  private static void nat(RuleCases cases, String text, Clause... clauses) {
    String family = text.contains("::") ? " ip6" : " ip";
    cases.add(text.formatted(cases.table.family() == TableFamily.INET ? family : ""), clauses);
  }
}
