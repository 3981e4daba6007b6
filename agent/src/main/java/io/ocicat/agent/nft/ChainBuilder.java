package io.ocicat.agent.nft;

import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Collects the rules of a chain whose name may depend on them. */
final class ChainBuilder {
  private record Line(List<Clause> clauses, String comment) {
    @Override
    public String toString() {
      return clauses.stream().map(Clause::toString).collect(Collectors.joining(" ")) + comment;
    }
  }

  private final List<Line> lines = new ArrayList<>();
  private final Map<NamedSet, Set<Element>> constants = new HashMap<>();

  ChainBuilder add(Clause... clauses) {
    lines.add(new Line(List.of(clauses), ""));
    return this;
  }

  ChainBuilder add(List<Clause> clauses) {
    lines.add(new Line(clauses, ""));
    return this;
  }

  ChainBuilder add(String comment, List<Clause> clauses) {
    lines.add(new Line(clauses, comment));
    return this;
  }

  ChainBuilder constant(ConstantSet set) {
    constants.put(set.set(), set.elements());
    return this;
  }

  RenderedChain build(Chain chain) {
    ChainId id = chain.id();
    return RenderedChain.of(
        chain,
        lines.stream().map(line -> new Rule(id, line.clauses(), line.comment())).toList(),
        constants);
  }

  /** Chains with equal rules are one chain. */
  RenderedChain buildNamedByContent(String prefix) {
    String content = lines.stream().map(Line::toString).collect(Collectors.joining("\n"));
    return build(Chain.regular(PolicyTable.ID.chain(prefix + NftName.hash(content))));
  }
}
