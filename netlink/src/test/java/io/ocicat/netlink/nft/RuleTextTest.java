package io.ocicat.netlink.nft;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every condition and statement against the nft command: it must print what was meant, and make the
 * very same expressions from that text itself.
 */
@Hosts
class RuleTextTest {

  @ParameterizedTest
  @EnumSource
  void nftPrintsTheRulesAndMakesTheSameFromTheText(TableFamily family, Host ours, Host theirs) {
    RuleCases cases = new RuleCases(family);
    List<Rule> rules = cases.all().stream().map(RuleCases.Case::rule).toList();
    List<String> text = expectedText(cases);
    try (Ruleset written = Ruleset.of(ours);
        Ruleset loaded = Ruleset.of(theirs)) {
      written.net().transact(requests(cases, rules));
      assertThat(written.printed()).containsExactlyElementsOf(text);

      loaded.load(String.join("\n", text));
      assertThat(written.json()).isEqualTo(loaded.json());
      assertThat(expressions(written))
          .containsExactlyElementsOf(rules.stream().map(Rule::expressions).toList());
      assertThat(likeNft(cases, expressions(written)))
          .containsExactlyElementsOf(likeNft(cases, expressions(loaded)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void theTextInErrorsMeansTheSameToNft(TableFamily family, Host host) {
    RuleCases cases = new RuleCases(family);
    List<Rule> rules =
        cases.all().stream()
            .filter(RuleCases.Case::likeNft)
            .map(RuleCases.Case::rule)
            .filter(rule -> rule.clauses().stream().allMatch(Clause.Phrase.class::isInstance))
            .toList();
    try (Ruleset ruleset = Ruleset.of(host)) {
      ruleset.net().transact(requests(cases, List.of()));
      String text = rules.stream().map(rule -> "add rule " + rule).collect(joining("\n"));
      ruleset.load(text);
      assertThat(expressions(ruleset))
          .containsExactlyElementsOf(rules.stream().map(Rule::expressions).toList());
    }
  }

  private static List<List<Expression>> expressions(Ruleset ruleset) {
    return ruleset.net().list(Rules.all()).stream().map(InstalledRule::expressions).toList();
  }

  private static <T> List<T> likeNft(RuleCases cases, List<T> all) {
    return IntStream.range(0, all.size())
        .filter(i -> cases.all().get(i).likeNft())
        .mapToObj(all::get)
        .toList();
  }

  private static List<NetlinkRequest> requests(RuleCases cases, List<Rule> rules) {
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Tables.add(Table.of(cases.table)));
    cases.sets().forEach(set -> requests.add(Sets.add(set)));
    requests.add(Chains.add(Chain.regular(cases.chain)));
    requests.add(Chains.add(Chain.regular(cases.other)));
    rules.forEach(rule -> requests.add(Rules.append(rule)));
    return requests;
  }

  private static List<String> expectedText(RuleCases cases) {
    List<String> lines = new ArrayList<>();
    lines.add("table " + cases.table + " {");
    for (NamedSet set : cases.sets()) {
      lines.addAll(expectedText(set));
    }
    lines.add("chain c {");
    cases.all().forEach(one -> lines.add(one.text()));
    lines.addAll(List.of("}", "chain other {", "}", "}"));
    return lines;
  }

  private static List<String> expectedText(NamedSet set) {
    List<String> lines = new ArrayList<>();
    switch (set.target()) {
      case NamedSet.Target.Values(KeyLayout layout) -> {
        lines.add("map " + set.id().name() + " {");
        lines.add("type " + set.key() + " : " + layout);
      }
      case NamedSet.Target.Verdicts _ -> {
        lines.add("map " + set.id().name() + " {");
        lines.add("type " + set.key() + " : verdict");
      }
      case NamedSet.Target.Nothing _, NamedSet.Target.Objects _ -> {
        lines.add("set " + set.id().name() + " {");
        lines.add("type " + set.key());
      }
    }
    if (set.size() != 0) {
      lines.add("size " + set.size());
    }
    if (!set.flags().isEmpty()) {
      lines.add("flags dynamic,timeout");
    }
    lines.add("}");
    return lines;
  }
}
