package io.ocicat.agent.nft;

import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Value;
import io.ocicat.netlink.nft.Verdict;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Collects the elements of sets, among them which link has which chain. */
final class Dispatch {
  private final Map<NamedSet, Set<Element>> sets = new HashMap<>();

  Dispatch() {
    BaseChains.DISPATCH.forEach(set -> sets.put(set, new HashSet<>()));
  }

  void to(NamedSet map, int index, String chain) {
    put(map, Element.of(Value.interfaceIndex(index)).to(Verdict.goTo(chain)));
  }

  /** The wildcard does not apply to this link. */
  void accept(NamedSet map, int index) {
    put(map, Element.of(Value.interfaceIndex(index)).to(Verdict.ACCEPT));
  }

  void add(NamedSet set, int index) {
    put(set, Element.of(Value.interfaceIndex(index)));
  }

  private void put(NamedSet set, Element element) {
    sets.computeIfAbsent(set, _ -> new HashSet<>()).add(element);
  }

  Map<NamedSet, Set<Element>> sets() {
    return sets;
  }
}
