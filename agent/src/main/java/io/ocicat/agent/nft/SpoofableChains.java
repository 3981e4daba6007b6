package io.ocicat.agent.nft;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.Statement;
import java.util.List;

/** Chains of workloads that may send from networks that are not routed to them. */
final class SpoofableChains {
  private SpoofableChains() {}

  static RenderedChain render(List<IpPrefix> spoofable) {
    ChainBuilder chain = new ChainBuilder();
    for (IpFamily family : IpFamily.values()) {
      FamilyFields fields = FamilyFields.of(family);
      for (IpPrefix prefix : fields.cover(spoofable)) {
        chain.add(Match.source(prefix), Statement.accept());
      }
    }
    return chain.add(Statement.goTo(BaseChains.CHECK_SOURCE)).buildNamedByContent("spoof_");
  }
}
