package io.ocicat.agent.nft;

import io.ocicat.agent.filter.PortRange;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.SetFlag;
import io.ocicat.netlink.nft.Value;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A set whose elements never change; its name is derived from them. */
record ConstantSet(NamedSet set, Set<Element> elements) {

  static ConstantSet networks(FamilyFields family, List<IpPrefix> cover) {
    return intervals(
        "nets" + family.version() + "_", family.type(), cover.stream().map(Element::of).toList());
  }

  static ConstantSet ports(List<PortRange> ranges) {
    return intervals(
        "ports_",
        DataType.INET_SERVICE,
        ranges.stream()
            .map(
                range ->
                    Element.range(
                        List.of(Value.port(range.first())), List.of(Value.port(range.last()))))
            .toList());
  }

  static ConstantSet numbers(String name, DataType type, int... numbers) {
    NamedSet set = NamedSet.set(PolicyTable.ID.set(name), type);
    return new ConstantSet(
        set,
        IntStream.of(numbers)
            .mapToObj(number -> Element.of(Value.number(type, number)))
            .collect(Collectors.toSet()));
  }

  private static ConstantSet intervals(String prefix, DataType type, List<Element> elements) {
    String name =
        prefix
            + NftName.hash(elements.stream().map(Element::toString).collect(Collectors.joining()));
    return new ConstantSet(
        NamedSet.set(PolicyTable.ID.set(name), type).withFlags(SetFlag.INTERVAL),
        new LinkedHashSet<>(elements));
  }
}
