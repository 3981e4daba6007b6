package io.ocicat.agent.nft;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.netlink.nft.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The chains of endpoints' rules. A chain jumps to the policies of its tiers, one after the other,
 * and then to the profiles. What follows a tier with Pass rules is a chain of its own, to which
 * these rules go; what cannot be reached is left out. Chains are named by their content, so that
 * endpoints with the same rules share them.
 */
final class EndpointChains {
  /**
   * A packet may come through 16 chains. Each Pass takes two: of the tier and of the policy; the
   * rest is for the chain at the hook, for the endpoint's and for a profile.
   */
  private static final int MOST_PASSES = 6;

  private final FilterSettings settings;
  private final Predicate<RuleListId> hasPass;

  /**
   * Renders for these settings.
   *
   * @param hasPass whether a list has Pass rules
   */
  EndpointChains(FilterSettings settings, Predicate<RuleListId> hasPass) {
    this.settings = settings;
    this.hasPass = hasPass;
  }

  /**
   * The chains of an endpoint.
   *
   * @param chains the first is where its packets start
   * @param lists the chains of rule lists that they jump to
   * @param unreachable tiers that the kernel cannot reach, and that deny everything instead
   */
  record Rendered(List<RenderedChain> chains, List<ListChains.Key> lists, Set<String> unreachable) {
    String first() {
      return chains.getFirst().name();
    }
  }

  Rendered render(EndpointRules rules, EndpointHook hook) {
    Rendered rendered = new Rendered(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
    ChainBuilder chain = new ChainBuilder();
    hook.addPreamble(chain, settings);
    addTiers(chain, rules, 0, 0, hook, rendered);
    rendered.chains().addFirst(chain.buildNamedByContent("ep_"));
    return rendered;
  }

  private void addTiers(
      ChainBuilder chain,
      EndpointRules rules,
      int from,
      int depth,
      EndpointHook hook,
      Rendered rendered) {
    for (int i = from; i < rules.tiers().size(); i++) {
      TierRules tier = rules.tiers().get(i);
      boolean canPass = tier.policies().stream().anyMatch(hasPass);
      String following = canPass ? following(rules, i + 1, depth + 1, hook, rendered) : "";
      for (RuleListId policy : tier.policies()) {
        addList(chain, policy, tier.tier(), hook, hasPass.test(policy) ? following : "", rendered);
      }
      if (!tier.passes()) {
        chain.add(
            Denial.because(
                "at the end of tier %s %s".formatted(tier.tier(), hook.direction()),
                hook.hook(),
                settings));
        return;
      }
      if (canPass) {
        chain.add(Statement.goTo(PolicyTable.ID.chain(following)));
        return;
      }
    }
    for (RuleListId profile : rules.profiles()) {
      addList(chain, profile, "", hook, "", rendered);
    }
    switch (rules.end()) {
      case DROP ->
          chain.add(
              Denial.because(
                  "at the end of the profiles %s".formatted(hook.direction()),
                  hook.hook(),
                  settings));
      case CONTINUE -> chain.add(Statement.accept());
    }
  }

  private String following(
      EndpointRules rules, int from, int depth, EndpointHook hook, Rendered rendered) {
    ChainBuilder chain = new ChainBuilder();
    if (depth > MOST_PASSES) {
      String rest =
          from < rules.tiers().size() ? rules.tiers().get(from).tier() : "of the profiles";
      rendered.unreachable().add(rest);
      chain.add(
          Denial.because(
              "before tier %s %s: too many tiers with Pass".formatted(rest, hook.direction()),
              hook.hook(),
              settings));
    } else {
      addTiers(chain, rules, from, depth, hook, rendered);
    }
    RenderedChain built = chain.buildNamedByContent("pass_");
    rendered.chains().add(built);
    return built.name();
  }

  private void addList(
      ChainBuilder chain,
      RuleListId list,
      String tier,
      EndpointHook hook,
      String continuation,
      Rendered rendered) {
    ListChains.Key key = new ListChains.Key(list, tier, hook.hook(), continuation);
    rendered.lists().add(key);
    chain.add(Statement.jump(PolicyTable.ID.chain(key.name(settings))));
  }
}
