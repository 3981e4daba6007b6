package io.ocicat.agent.nft;

import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import java.util.Map;
import java.util.Set;

/**
 * The table of the packet filter but for the members of its member sets.
 *
 * @param chains by name
 * @param sets with all their elements: what chains list, and which link has which chain
 * @param members the member sets that chains refer to
 */
public record RenderedTable(
    Map<String, RenderedChain> chains,
    Map<NamedSet, Set<Element>> sets,
    Set<MemberSetId> members) {}
