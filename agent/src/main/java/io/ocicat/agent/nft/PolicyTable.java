package io.ocicat.agent.nft;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;

/**
 * Names in the table of the packet filter.
 *
 * <p>The rules of a {@link RuleListId} are in the chain {@link #chain}. A list with Pass rules has
 * one chain for each continuation of its tier, and a list of a host endpoint may have one for each
 * hook: their names are the same with an underscore and a suffix. So the counters of a policy are
 * those of every chain for which {@link #isChainOf} holds; the comment {@code rule N} of a rule is
 * {@link #comment} of its number in the policy. Several rules of nf_tables can come from one.
 *
 * <p>Rules that deny send the packet to {@link #DENIED_GROUP} first, with a prefix that completes
 * the sentence <i>denied …</i>: {@code by np/shop/web ingress rule 2}, {@code at the end of tier
 * default ingress}.
 */
public final class PolicyTable {
  public static final TableId ID = new TableId(TableFamily.INET, "ocicat_policy");

  /** The netlink log group of denied packets. */
  public static final int DENIED_GROUP = 193;

  private PolicyTable() {}

  /** The name of the chain, or of the first of the chains, with these rules. */
  public static String chain(RuleListId list) {
    return NftName.of(list.direction() == PolicyDirection.INGRESS ? "in_" : "out_", list.owner());
  }

  public static boolean isChainOf(RuleListId list, String chain) {
    String name = chain(list);
    return chain.equals(name) || chain.startsWith(name + "_");
  }

  public static String comment(int ruleNumber) {
    return "rule " + ruleNumber;
  }
}
