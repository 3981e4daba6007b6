package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The message types of nf_tables and their common header (linux/netfilter/nfnetlink.h,
 * nf_tables.h).
 */
final class Nft {
  private static final int SUBSYSTEM = 10 << 8;

  static final int NEW_TABLE = SUBSYSTEM;
  static final int GET_TABLE = SUBSYSTEM | 1;
  static final int DELETE_TABLE = SUBSYSTEM | 2;
  static final int NEW_CHAIN = SUBSYSTEM | 3;
  static final int GET_CHAIN = SUBSYSTEM | 4;
  static final int DELETE_CHAIN = SUBSYSTEM | 5;
  static final int NEW_RULE = SUBSYSTEM | 6;
  static final int GET_RULE = SUBSYSTEM | 7;
  static final int DELETE_RULE = SUBSYSTEM | 8;
  static final int NEW_SET = SUBSYSTEM | 9;
  static final int GET_SET = SUBSYSTEM | 10;
  static final int DELETE_SET = SUBSYSTEM | 11;
  static final int NEW_ELEMENT = SUBSYSTEM | 12;
  static final int GET_ELEMENT = SUBSYSTEM | 13;
  static final int DELETE_ELEMENT = SUBSYSTEM | 14;
  static final int NEW_GENERATION = SUBSYSTEM | 15;
  static final int GET_GENERATION = SUBSYSTEM | 16;
  static final int DESTROY_TABLE = SUBSYSTEM | 26;
  static final int DESTROY_CHAIN = SUBSYSTEM | 27;
  static final int DESTROY_RULE = SUBSYSTEM | 28;
  static final int DESTROY_SET = SUBSYSTEM | 29;
  static final int DESTROY_ELEMENT = SUBSYSTEM | 30;

  /** In NFTA_LIST_ELEM: the type of every member of a list attribute. */
  static final int LIST_ELEMENT = 1;

  /** In place of a family: objects of every family. */
  static final int ANY_FAMILY = 0;

  /** Size of struct nfgenmsg. */
  private static final int HEADER = 4;

  private Nft() {}

  static NetlinkRequest request(
      int type,
      int flags,
      TableFamily family,
      Consumer<MessageWriter> body,
      Supplier<String> operation) {
    return NetlinkRequest.of(type, flags, body(family.number(), body), operation);
  }

  /** The header of a message, followed by its content. */
  static Consumer<MessageWriter> body(int family, Consumer<MessageWriter> attributes) {
    return out -> {
      out.field8(family).field8(0).fieldBe16(0);
      attributes.accept(out);
    };
  }

  static TableFamily family(NetlinkMessage message) {
    return TableFamily.of(Byte.toUnsignedInt(message.header(HEADER).get(0)));
  }

  static Attributes attributes(NetlinkMessage message) {
    return message.attributes(HEADER);
  }

  /** A name that the kernel always sends. */
  static String name(Attributes attributes, int type) {
    return attributes
        .text(type)
        .orElseThrow(() -> NetlinkException.malformed("attribute " + type + " is missing"));
  }
}
