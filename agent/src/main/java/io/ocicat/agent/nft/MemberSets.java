package io.ocicat.agent.nft;

import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.NamedSet;

/** Tells in which set of the kernel the members of one family are. */
@FunctionalInterface
public interface MemberSets {
  NamedSet find(MemberSetId id, IpFamily family);
}
