package io.ocicat.netlink.nft;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;

/** Requests and queries about chains; see {@link Tables} for what add, create and so on mean. */
public final class Chains {
  static final int TABLE = 1;
  static final int NAME = 3;
  static final int HOOK = 4;
  static final int POLICY = 5;
  static final int TYPE = 7;
  static final int USERDATA = 12;

  static final int HOOK_NUMBER = 1;
  static final int HOOK_PRIORITY = 2;
  static final int HOOK_DEVICE = 3;
  static final int HOOK_DEVICES = 4;

  private Chains() {}

  /** Adds the chain; an existing base chain gets this one's policy. */
  public static NetlinkRequest add(Chain chain) {
    return add(chain, NetlinkRequest.CREATE, "add");
  }

  public static NetlinkRequest create(Chain chain) {
    return add(chain, NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, "create");
  }

  /** Removes the chain and its rules; EBUSY while rules or verdict maps still refer to it. */
  public static NetlinkRequest delete(ChainId id) {
    return named(Nft.DELETE_CHAIN, id, "delete");
  }

  /** Removes the chain and its rules, if it exists. */
  public static NetlinkRequest destroy(ChainId id) {
    return named(Nft.DESTROY_CHAIN, id, "destroy");
  }

  public static NetlinkQuery<Chain> all() {
    return NetlinkQuery.all(
        Nft.GET_CHAIN, Nft.body(Nft.ANY_FAMILY, _ -> {}), Chain::read, () -> "list chains");
  }

  /** Empty when the table does not exist. */
  public static NetlinkQuery<Chain> in(TableId table) {
    return NetlinkQuery.all(
            Nft.GET_CHAIN,
            Nft.body(table.family().number(), _ -> {}),
            Chain::read,
            () -> "list chains of table " + table)
        .where(chain -> chain.id().table().equals(table));
  }

  public static NetlinkQuery<Chain> get(ChainId id) {
    return NetlinkQuery.one(
        Nft.GET_CHAIN,
        Nft.body(id.table().family().number(), out -> name(out, id)),
        Chain::read,
        () -> "get chain " + id);
  }

  private static NetlinkRequest add(Chain chain, int flags, String verb) {
    ChainId id = chain.id();
    NameRules.check("chain", id.name());
    UserData notes = new UserData().text(UserData.COMMENT, NameRules.comment(chain.comment()));
    if (chain instanceof Chain.Base base) {
      base.hook().number(id.table().family());
    }
    return Nft.request(
        Nft.NEW_CHAIN,
        flags,
        id.table().family(),
        out -> {
          name(out, id);
          switch (chain) {
            case Chain.Base base -> writeHook(out, base);
            case Chain.Regular _ -> {}
          }
          notes.write(out, USERDATA);
        },
        () -> verb + " chain " + id);
  }

  private static void writeHook(MessageWriter out, Chain.Base chain) {
    out.text(TYPE, chain.type().toString());
    out.be32(POLICY, chain.policy().number());
    out.nest(
        HOOK,
        () -> {
          out.be32(HOOK_NUMBER, chain.hook().number(chain.id().table().family()));
          out.be32(HOOK_PRIORITY, chain.priority());
          if (chain.devices().size() == 1) {
            out.text(HOOK_DEVICE, chain.devices().getFirst());
          } else if (!chain.devices().isEmpty()) {
            out.nest(
                HOOK_DEVICES,
                () -> chain.devices().forEach(device -> out.text(Nft.LIST_ELEMENT, device)));
          }
        });
  }

  private static NetlinkRequest named(int type, ChainId id, String verb) {
    return Nft.request(
        type, 0, id.table().family(), out -> name(out, id), () -> verb + " chain " + id);
  }

  private static void name(MessageWriter out, ChainId id) {
    out.text(TABLE, id.table().name()).text(NAME, id.name());
  }
}
