package io.ocicat.plugins.masquerade;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.NetworkName;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.plugins.iptables.ChainName;
import io.ocicat.plugins.iptables.IptablesChains;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NamingHash;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.BestEffort;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The masquerading rules of the Go plugins: an iptables chain for each container or, since version
 * 1.6 if configured, rules in an nf_tables table of theirs.
 */
final class GoMasquerade {
  private static final String NAT = "nat";

  private static final ChainId CHECKS =
      new TableId(TableFamily.INET, "cni_plugins_masquerade").chain("masq_checks");

  private static final int TAG_DIGITS = 16;

  /** An attempt fails only when somebody removed one of the same rules in between. */
  private static final int ATTEMPTS = 20;

  private GoMasquerade() {}

  static void remove(NetnsSockets host, AttachmentOwner owner) {
    BestEffort.all(
        () -> IptablesChains.remove(host, NAT, chain(owner.network(), owner.container())),
        () -> removeRules(host, rule -> rule.comment().startsWith(tag(owner))));
  }

  /** Creates what a Go plugin would have created, for at most one address of each family. */
  static void install(NetnsSockets host, AttachmentOwner owner, List<IpPrefix> addresses) {
    String chain = chain(owner.network(), owner.container());
    String comment =
        "-m comment --comment \"name: \\\"%s\\\" id: \\\"%s\\\"\""
            .formatted(owner.network(), owner.container());
    for (IpPrefix address : addresses) {
      IpFamily family = IpFamily.of(address.address());
      IptablesChains.make(
          host,
          family,
          NAT,
          chain,
          List.of(
              "-A %s -d %s %s -j ACCEPT".formatted(chain, address.network(), comment),
              "-A %s ! -d %s %s -j MASQUERADE"
                  .formatted(chain, IpSets.of(address.address()).multicast, comment),
              "-A POSTROUTING -s %s %s -j %s"
                  .formatted(IpPrefix.host(address.address()), comment, chain)));
    }
  }

  static void collect(NetnsSockets host, NetworkName network, Set<Attachment> valid) {
    Set<AttachmentOwner> owners =
        valid.stream()
            .flatMap(attachment -> AttachmentOwner.of(network, attachment).stream())
            .collect(Collectors.toSet());
    Set<String> chains =
        owners.stream().map(owner -> chain(network, owner.container())).collect(Collectors.toSet());
    Set<String> tags = owners.stream().map(GoMasquerade::tag).collect(Collectors.toSet());
    String anyTag = networkTag(network);
    BestEffort.all(
        () -> IptablesChains.collect(host, NAT, ChainName.MASQUERADE, comment(network), chains),
        () ->
            removeRules(
                host,
                rule ->
                    rule.comment().startsWith(anyTag)
                        && tags.stream().noneMatch(rule.comment()::startsWith)));
  }

  /** Whether a Go plugin masquerades the owner's addresses of a family. */
  static boolean isInstalled(NetnsSockets host, AttachmentOwner owner, IpFamily family) {
    return IptablesChains.isReached(host, family, NAT, chain(owner.network(), owner.container()))
        || rules(host).stream().anyMatch(rule -> rule.comment().startsWith(tag(owner)));
  }

  private static void removeRules(NetnsSockets host, Predicate<InstalledRule> unwanted) {
    for (int attempt = 1; ; attempt++) {
      List<InstalledRule> found = rules(host).stream().filter(unwanted).toList();
      try {
        host.netfilter().transact(found.stream().map(Rules::delete).toList());
        return;
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOENT) || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static List<InstalledRule> rules(NetnsSockets host) {
    return host.hasNfTables() && host.netfilter().find(Chains.get(CHECKS)).isPresent()
        ? host.netfilter().list(Rules.in(CHECKS))
        : List.of();
  }

  private static String chain(NetworkName network, ContainerId container) {
    return ChainName.of(ChainName.MASQUERADE, network, container);
  }

  /** Followed by the container's id, possibly truncated. */
  private static String comment(NetworkName network) {
    return "name: \"%s\" id: \"".formatted(network);
  }

  private static String tag(AttachmentOwner owner) {
    String attachment = owner.ifName() + ":" + owner.container();
    return networkTag(owner.network()) + NamingHash.of(attachment, TAG_DIGITS);
  }

  private static String networkTag(NetworkName network) {
    return NamingHash.of(network.value(), TAG_DIGITS) + "-";
  }
}
