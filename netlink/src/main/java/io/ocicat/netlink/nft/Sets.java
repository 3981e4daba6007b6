package io.ocicat.netlink.nft;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.Errno;

/**
 * Requests and queries about sets, maps and verdict maps; see {@link Tables} for what add, create
 * and so on mean.
 */
public final class Sets {
  static final int TABLE = 1;
  static final int NAME = 2;
  static final int FLAGS = 3;
  static final int KEY_TYPE = 4;
  static final int KEY_LENGTH = 5;
  static final int DATA_TYPE = 6;
  static final int DATA_LENGTH = 7;
  static final int DESCRIPTION = 9;
  static final int ID = 10;
  static final int TIMEOUT = 11;
  static final int USERDATA = 13;

  static final int DESCRIPTION_SIZE = 1;
  private static final int DESCRIPTION_CONCAT = 2;
  private static final int FIELD_LENGTH = 1;

  static final int IS_MAP = 0x8;
  static final int IS_OBJECT_MAP = 0x40;
  private static final int IS_CONCAT = 0x80;

  static final int VERDICT_TYPE = 0xffffff00;

  /**
   * The kernel requires a number by which a rule of the same transaction could refer to a set
   * without a name. Ours all have names, so no rule uses it and they can share one.
   */
  private static final int UNUSED_ID = 1;

  private Sets() {}

  /** Adds the set; EEXIST when one of that name has other types or flags. */
  public static NetlinkRequest add(NamedSet set) {
    return add(set, NetlinkRequest.CREATE, "add");
  }

  public static NetlinkRequest create(NamedSet set) {
    return add(set, NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, "create");
  }

  /** Removes the set and its elements; EBUSY while a rule uses it. */
  public static NetlinkRequest delete(SetId id) {
    return named(Nft.DELETE_SET, id, "delete");
  }

  /** Removes the set and its elements, if it exists. */
  public static NetlinkRequest destroy(SetId id) {
    return named(Nft.DESTROY_SET, id, "destroy");
  }

  /** All sets, including the anonymous ones that rules own ({@link SetFlag#ANONYMOUS}). */
  public static NetlinkQuery<NamedSet> all() {
    return NetlinkQuery.all(
        Nft.GET_SET, Nft.body(Nft.ANY_FAMILY, _ -> {}), NamedSet::read, () -> "list sets");
  }

  /** The sets of a table; empty when the table does not exist. */
  public static NetlinkQuery<NamedSet> in(TableId table) {
    return NetlinkQuery.all(
            Nft.GET_SET,
            Nft.body(table.family().number(), out -> out.text(TABLE, table.name())),
            NamedSet::read,
            () -> "list sets of table " + table)
        .noneWhen(Errno.ENOENT);
  }

  public static NetlinkQuery<NamedSet> get(SetId id) {
    return NetlinkQuery.one(
        Nft.GET_SET,
        Nft.body(id.table().family().number(), out -> name(out, id)),
        NamedSet::read,
        () -> "get set " + id);
  }

  private static NetlinkRequest add(NamedSet set, int flags, String verb) {
    check(set);
    UserData notes = notes(set);
    return Nft.request(
        Nft.NEW_SET,
        flags,
        set.id().table().family(),
        out -> {
          name(out, set.id());
          writeTypes(out, set);
          out.be32(ID, UNUSED_ID);
          if (!set.timeout().isZero()) {
            out.be64(TIMEOUT, set.timeout().toMillis());
          }
          writeDescription(out, set);
          notes.write(out, USERDATA);
        },
        () -> verb + " " + set);
  }

  private static void check(NamedSet set) {
    NameRules.check("set", set.id().name());
    if (set.flags().contains(SetFlag.ANONYMOUS)) {
      throw new IllegalArgumentException(set + " cannot be anonymous: it has a name");
    }
    if (set.target() instanceof NamedSet.Target.Objects) {
      throw new IllegalArgumentException(set + " leads to objects: only nft can make those");
    }
    if (set.isInterval() && !set.key().isOrdered()) {
      throw new IllegalArgumentException(
          set + " cannot have intervals: the bytes of its keys are not in the order of numbers");
    }
    if (set.timeout().isNegative()) {
      throw new IllegalArgumentException(set + " has a negative timeout: " + set.timeout());
    }
  }

  private static void writeTypes(MessageWriter out, NamedSet set) {
    int flags = Symbol.sum(set.flags());
    flags |= set.holdsRangesWhole() ? IS_CONCAT : 0;
    switch (set.target()) {
      case NamedSet.Target.Values values -> {
        out.be32(FLAGS, flags | IS_MAP);
        out.be32(DATA_TYPE, values.layout().number());
        out.be32(DATA_LENGTH, values.layout().length());
      }
      case NamedSet.Target.Verdicts _ -> {
        out.be32(FLAGS, flags | IS_MAP);
        out.be32(DATA_TYPE, VERDICT_TYPE);
        out.be32(DATA_LENGTH, 0);
      }
      case NamedSet.Target.Nothing _, NamedSet.Target.Objects _ -> out.be32(FLAGS, flags);
    }
    out.be32(KEY_TYPE, set.key().number());
    out.be32(KEY_LENGTH, set.key().length());
  }

  /** The size and, for ranges of concatenated keys, where each of the fields ends. */
  private static void writeDescription(MessageWriter out, NamedSet set) {
    if (set.size() == 0 && !set.holdsRangesWhole()) {
      return;
    }
    out.nest(
        DESCRIPTION,
        () -> {
          if (set.size() != 0) {
            out.be32(DESCRIPTION_SIZE, set.size());
          }
          if (set.holdsRangesWhole()) {
            out.nest(DESCRIPTION_CONCAT, () -> set.key().types().forEach(type -> field(out, type)));
          }
        });
  }

  private static void field(MessageWriter out, DataType type) {
    out.nest(Nft.LIST_ELEMENT, () -> out.be32(FIELD_LENGTH, type.size()));
  }

  private static UserData notes(NamedSet set) {
    UserData notes = new UserData().u32(UserData.SET_KEY_ORDER, set.key().byteOrder());
    switch (set.target()) {
      case NamedSet.Target.Values values ->
          notes
              .u32(UserData.SET_DATA_ORDER, values.layout().byteOrder())
              .u32(UserData.SET_DATA_INTERVAL, 0);
      case NamedSet.Target.Verdicts _ -> notes.u32(UserData.SET_DATA_ORDER, 0);
      case NamedSet.Target.Nothing _, NamedSet.Target.Objects _ -> {}
    }
    return notes.text(UserData.SET_COMMENT, NameRules.comment(set.comment()));
  }

  private static NetlinkRequest named(int type, SetId id, String verb) {
    return Nft.request(
        type, 0, id.table().family(), out -> name(out, id), () -> verb + " set " + id);
  }

  private static void name(MessageWriter out, SetId id) {
    out.text(TABLE, id.table().name()).text(NAME, id.name());
  }
}
