package io.ocicat.agent.nft;

import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.SetFlag;
import io.ocicat.netlink.nft.SetId;
import io.ocicat.netlink.nft.Value;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How the members of one family are stored in a set of the kernel.
 *
 * <p>Single addresses are in a hash set, networks in one with intervals: there, one more address
 * among 100,000 takes the kernel 20 to 70 ms, in a hash set less than 0.1 ms. A set whose first
 * network comes, or last one goes, is another set under another name.
 *
 * @param interval whether it has intervals, which must not overlap: then only networks that are in
 *     no other are elements
 */
public record MemberSetShape(MemberSetId id, IpFamily family, boolean interval) {

  /** The shape for these members. */
  public static MemberSetShape of(MemberSetId id, IpFamily family, Collection<SetMember> members) {
    return new MemberSetShape(
        id, family, members.stream().anyMatch(one -> isNetworkOf(one, family)));
  }

  /** Whether it is a network of several addresses. */
  public static boolean isNetworkOf(SetMember member, IpFamily family) {
    return member instanceof SetMember.Network(IpPrefix prefix)
        && prefix.length() < prefix.address().bitLength()
        && IpFamily.of(prefix.address()) == family;
  }

  public boolean has(SetMember member) {
    return switch (member) {
      case SetMember.Network(IpPrefix prefix) -> IpFamily.of(prefix.address()) == family;
      case SetMember.Port port -> IpFamily.of(port.address()) == family;
    };
  }

  public NamedSet set() {
    FamilyFields fields = FamilyFields.of(family);
    String kind =
        switch (id.type()) {
          case PORTS -> "svc";
          case NETWORKS -> interval ? "net" : "ip";
        };
    SetId name = PolicyTable.ID.set(NftName.of(kind + fields.version() + "_", id.name()));
    return switch (id.type()) {
      case PORTS -> NamedSet.set(name, fields.type(), DataType.INET_PROTO, DataType.INET_SERVICE);
      case NETWORKS ->
          interval
              ? NamedSet.set(name, fields.type()).withFlags(SetFlag.INTERVAL)
              : NamedSet.set(name, fields.type());
    };
  }

  /** The members of this family that are elements. */
  public Set<SetMember> elements(Collection<SetMember> members) {
    Set<SetMember> own = members.stream().filter(this::has).collect(Collectors.toSet());
    return interval
        ? IpPrefix.withoutNested(
                own.stream().map(one -> ((SetMember.Network) one).prefix()).toList())
            .stream()
            .map(SetMember.Network::new)
            .collect(Collectors.toSet())
        : own;
  }

  /**
   * The members that may have become elements, or ceased to be, when these came or went.
   *
   * @param changed members that came or went
   * @param present all members now
   */
  public Set<SetMember> affected(Collection<SetMember> changed, Collection<SetMember> present) {
    Set<SetMember> affected = changed.stream().filter(this::has).collect(Collectors.toSet());
    if (interval) {
      for (SetMember one : Set.copyOf(affected)) {
        if (isNetworkOf(one, family)) {
          IpPrefix network = ((SetMember.Network) one).prefix();
          present.stream().filter(other -> isIn(other, network)).forEach(affected::add);
        }
      }
    }
    return affected;
  }

  private static boolean isIn(SetMember member, IpPrefix network) {
    return member instanceof SetMember.Network(IpPrefix prefix) && network.contains(prefix);
  }

  /** Whether this one should be an element. */
  public boolean isElement(SetMember member, Set<SetMember> present) {
    if (!present.contains(member)) {
      return false;
    }
    if (!interval || !(member instanceof SetMember.Network(IpPrefix prefix))) {
      return true;
    }
    for (int length = prefix.length() - 1; length >= 0; length--) {
      IpPrefix wider = IpPrefix.of(prefix.address(), length).network();
      if (present.contains(new SetMember.Network(wider))) {
        return false;
      }
    }
    return true;
  }

  public Element element(SetMember member) {
    return switch (member) {
      case SetMember.Network(IpPrefix prefix) ->
          interval ? Element.of(prefix) : Element.of(Value.address(prefix.address()));
      case SetMember.Port port ->
          Element.of(
              Value.address(port.address()),
              Value.number(DataType.INET_PROTO, port.protocol()),
              Value.port(port.port()));
    };
  }

  /** The members that elements of the kernel's set stand for; others cannot be told apart. */
  public Set<Element> elementsOf(Collection<SetMember> members) {
    Set<Element> elements = new HashSet<>();
    members.forEach(member -> elements.add(element(member)));
    return elements;
  }
}
