package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;

/** An nf_tables chain: a list of rules. */
public sealed interface Chain {
  ChainId id();

  /** Empty for none. */
  String comment();

  /** A regular chain, which packets reach only through a jump or goto of a rule. */
  record Regular(ChainId id, String comment) implements Chain {
    public Regular withComment(String text) {
      return new Regular(id, text);
    }
  }

  /**
   * A base chain, which the kernel calls at a hook.
   *
   * @param priority its place among the chains of one hook, lowest first, see {@link ChainPriority}
   * @param devices the devices whose packets it sees, for hooks ingress and egress, in alphabetical
   *     order; empty for other hooks. Since Linux 6.16 they need not exist yet
   */
  record Base(
      ChainId id,
      ChainType type,
      Hook hook,
      int priority,
      ChainPolicy policy,
      List<String> devices,
      String comment)
      implements Chain {
    public Base {
      devices = devices.stream().sorted().toList();
    }

    public Base withPolicy(ChainPolicy other) {
      return new Base(id, type, hook, priority, other, devices, comment);
    }

    public Base withDevices(String... names) {
      return new Base(id, type, hook, priority, policy, List.of(names), comment);
    }

    public Base withComment(String text) {
      return new Base(id, type, hook, priority, policy, devices, text);
    }
  }

  static Regular regular(ChainId id) {
    return new Regular(id, "");
  }

  /** A base chain that accepts what its rules leave undecided. */
  static Base base(ChainId id, ChainType type, Hook hook, int priority) {
    return new Base(id, type, hook, priority, ChainPolicy.ACCEPT, List.of(), "");
  }

  static Chain read(NetlinkMessage message) {
    Attributes attributes = Nft.attributes(message);
    TableFamily family = Nft.family(message);
    ChainId id =
        new TableId(family, Nft.name(attributes, Chains.TABLE))
            .chain(Nft.name(attributes, Chains.NAME));
    String comment = UserData.readText(attributes, Chains.USERDATA, UserData.COMMENT);
    if (!attributes.has(Chains.HOOK)) {
      return new Regular(id, comment);
    }
    Attributes hook = attributes.nested(Chains.HOOK);
    return new Base(
        id,
        ChainType.of(Nft.name(attributes, Chains.TYPE)),
        Hook.of(family, hook.be32(Chains.HOOK_NUMBER, -1)),
        hook.be32(Chains.HOOK_PRIORITY, 0),
        policy(attributes.be32(Chains.POLICY, ChainPolicy.ACCEPT.number())),
        devices(hook),
        comment);
  }

  private static ChainPolicy policy(int number) {
    return Symbol.find(ChainPolicy.values(), number)
        .orElseThrow(() -> NetlinkException.malformed("chain policy " + number + " is unknown"));
  }

  private static List<String> devices(Attributes hook) {
    return hook.has(Chains.HOOK_DEVICES)
        ? hook.nested(Chains.HOOK_DEVICES).texts(Nft.LIST_ELEMENT)
        : hook.text(Chains.HOOK_DEVICE).map(List::of).orElse(List.of());
  }
}
