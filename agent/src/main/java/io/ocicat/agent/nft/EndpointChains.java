package io.ocicat.agent.nft;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.netlink.nft.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The chains of endpoints' rules. A chain jumps to the policies of its tiers, one after the other,
 * and then to the profiles. What follows a tier with Pass rules is a chain of its own, to which
 * these rules go; what cannot be reached is left out. Chains are named by their content, so that
 * endpoints with the same rules share them.
 */
final class EndpointChains {
  private final FilterSettings settings;
  private final Function<RuleListId, List<PolicyAction>> actions;

  /**
   * Renders for these settings.
   *
   * @param actions the actions of a list's rules
   */
  EndpointChains(FilterSettings settings, Function<RuleListId, List<PolicyAction>> actions) {
    this.settings = settings;
    this.actions = actions;
  }

  /**
   * The chains of an endpoint.
   *
   * @param chains the first is where its packets start
   * @param lists the chains of rule lists that they jump to
   */
  record Rendered(List<RenderedChain> chains, List<ListChains.Key> lists) {
    String first() {
      return chains.getFirst().name();
    }
  }

  Rendered render(EndpointRules rules, EndpointHook hook) {
    Rendered rendered = new Rendered(new ArrayList<>(), new ArrayList<>());
    ChainBuilder chain = new ChainBuilder();
    hook.addPreamble(chain, settings);
    addTiers(chain, rules, 0, hook, rendered);
    rendered.chains().addFirst(chain.buildNamedByContent("ep_"));
    return rendered;
  }

  private void addTiers(
      ChainBuilder chain, EndpointRules rules, int from, EndpointHook hook, Rendered rendered) {
    for (int i = from; i < rules.tiers().size(); i++) {
      TierRules tier = rules.tiers().get(i);
      boolean canPass = tier.policies().stream().anyMatch(this::hasPass);
      String following = canPass ? following(rules, i + 1, hook, rendered) : "";
      for (RuleListId policy : tier.policies()) {
        addList(chain, policy, tier.tier(), hook, hasPass(policy) ? following : "", rendered);
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

  private String following(EndpointRules rules, int from, EndpointHook hook, Rendered rendered) {
    ChainBuilder chain = new ChainBuilder();
    addTiers(chain, rules, from, hook, rendered);
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

  private boolean hasPass(RuleListId list) {
    return actions.apply(list).contains(PolicyAction.PASS);
  }
}
