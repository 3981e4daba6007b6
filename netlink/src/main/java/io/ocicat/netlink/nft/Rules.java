package io.ocicat.netlink.nft;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Requests and queries about rules. */
public final class Rules {
  static final int TABLE = 1;
  static final int CHAIN = 2;
  static final int HANDLE = 3;
  static final int EXPRESSIONS = 4;
  static final int POSITION = 6;
  static final int USERDATA = 7;

  private Rules() {}

  /** Adds the rule at the end of its chain. */
  public static NetlinkRequest append(Rule rule) {
    return write(
        rule, NetlinkRequest.CREATE | NetlinkRequest.APPEND, _ -> {}, () -> "add rule " + rule);
  }

  /** Adds the rule at the beginning of its chain. */
  public static NetlinkRequest insert(Rule rule) {
    return write(rule, NetlinkRequest.CREATE, _ -> {}, () -> "insert rule " + rule);
  }

  /** Adds the rule right after another; ENOENT when that one is gone. */
  public static NetlinkRequest appendAfter(long handle, Rule rule) {
    return write(
        rule,
        NetlinkRequest.CREATE | NetlinkRequest.APPEND,
        out -> out.be64(POSITION, handle),
        () -> "add rule after handle %d: %s".formatted(handle, rule));
  }

  /** Adds the rule right before another; ENOENT when that one is gone. */
  public static NetlinkRequest insertBefore(long handle, Rule rule) {
    return write(
        rule,
        NetlinkRequest.CREATE,
        out -> out.be64(POSITION, handle),
        () -> "insert rule before handle %d: %s".formatted(handle, rule));
  }

  /** Replaces another rule; ENOENT when that one is gone. */
  public static NetlinkRequest replace(long handle, Rule rule) {
    return write(
        rule,
        NetlinkRequest.REPLACE,
        out -> out.be64(HANDLE, handle),
        () -> "replace rule handle %d: %s".formatted(handle, rule));
  }

  public static NetlinkRequest delete(InstalledRule rule) {
    return delete(rule.chain(), rule.handle());
  }

  /** ENOENT when it is already gone. */
  public static NetlinkRequest delete(ChainId chain, long handle) {
    return handled(Nft.DELETE_RULE, chain, handle, "delete");
  }

  /** Removes the rule, if it is still there (Linux 6.3, see {@link Tables}). */
  public static NetlinkRequest destroy(ChainId chain, long handle) {
    return handled(Nft.DESTROY_RULE, chain, handle, "destroy");
  }

  /** Removes all rules of the chain. */
  public static NetlinkRequest flush(ChainId chain) {
    return Nft.request(
        Nft.DELETE_RULE,
        0,
        chain.table().family(),
        out -> name(out, chain),
        () -> "flush chain " + chain);
  }

  /** Removes all rules of all chains of the table. */
  public static NetlinkRequest flush(TableId table) {
    return Nft.request(
        Nft.DELETE_RULE,
        0,
        table.family(),
        out -> out.text(TABLE, table.name()),
        () -> "flush table " + table);
  }

  public static NetlinkQuery<InstalledRule> all() {
    return NetlinkQuery.all(
        Nft.GET_RULE, Nft.body(Nft.ANY_FAMILY, _ -> {}), InstalledRule::read, () -> "list rules");
  }

  /** The rules of a table, chain by chain and in order; empty when the table does not exist. */
  public static NetlinkQuery<InstalledRule> in(TableId table) {
    return NetlinkQuery.all(
        Nft.GET_RULE,
        Nft.body(table.family().number(), out -> out.text(TABLE, table.name())),
        InstalledRule::read,
        () -> "list rules of table " + table);
  }

  /** The rules of a chain in order; empty when the chain does not exist. */
  public static NetlinkQuery<InstalledRule> in(ChainId chain) {
    return NetlinkQuery.all(
        Nft.GET_RULE,
        Nft.body(chain.table().family().number(), out -> name(out, chain)),
        InstalledRule::read,
        () -> "list rules of chain " + chain);
  }

  public static NetlinkQuery<InstalledRule> get(ChainId chain, long handle) {
    return NetlinkQuery.one(
        Nft.GET_RULE,
        Nft.body(
            chain.table().family().number(),
            out -> {
              name(out, chain);
              out.be64(HANDLE, handle);
            }),
        InstalledRule::read,
        () -> "get rule %s handle %d".formatted(chain, handle));
  }

  private static NetlinkRequest write(
      Rule rule, int flags, Consumer<MessageWriter> place, Supplier<String> operation) {
    List<Expression> expressions = rule.expressions();
    UserData notes =
        new UserData()
            .text(UserData.COMMENT, NameRules.comment(rule.comment()))
            .text(UserData.NOTE, NameRules.note(rule.note(), rule.comment()));
    return Nft.request(
        Nft.NEW_RULE,
        flags,
        rule.chain().table().family(),
        out -> {
          name(out, rule.chain());
          place.accept(out);
          out.nest(EXPRESSIONS, () -> ExpressionWriter.write(out, expressions));
          notes.write(out, USERDATA);
        },
        operation);
  }

  private static NetlinkRequest handled(int type, ChainId chain, long handle, String verb) {
    return Nft.request(
        type,
        0,
        chain.table().family(),
        out -> {
          name(out, chain);
          out.be64(HANDLE, handle);
        },
        () -> "%s rule %s handle %d".formatted(verb, chain, handle));
  }

  private static void name(MessageWriter out, ChainId chain) {
    out.text(TABLE, chain.table().name()).text(CHAIN, chain.name());
  }
}
