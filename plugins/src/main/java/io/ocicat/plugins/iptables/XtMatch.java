package io.ocicat.plugins.iptables;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.nft.Bytes;
import io.ocicat.netlink.nft.Expression;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * An xtables extension as a match expression in nf_tables (linux/netfilter/nf_tables_compat.h):
 * what iptables-nft makes of {@code -m}.
 *
 * @param info the extension's own structure, in the kernel's memory layout
 */
record XtMatch(String name, int revision, Bytes info) {
  private static final String EXPRESSION = "match";
  private static final String TARGET = "target";
  private static final int NAME = 1;
  private static final int REVISION = 2;
  private static final int INFO = 3;

  private static final int ATTRIBUTE_HEADER = 4;
  private static final int ATTRIBUTE_ALIGNMENT = 4;

  /** XT_MAX_COMMENT_LEN, including the terminating zero. */
  private static final int COMMENT_SIZE = 256;

  private static final int MAX_PORTS = 15;

  /** The part of struct xt_multiport_v1 that ends with the list of ports. */
  private static final int MULTIPORT_LIST = 2 + Short.BYTES * MAX_PORTS;

  /** Size of struct xt_conntrack_mtinfo3, as xtables aligns it. */
  private static final int CONNTRACK_SIZE = 168;

  private static final int CONNTRACK_REVISION = 3;
  private static final int MATCH_FLAGS = 146;
  private static final int STATE_MASK = 150;
  private static final short MATCH_STATE = 1;

  /** The bits of RELATED and ESTABLISHED, as linux/netfilter/xt_conntrack.h counts them. */
  private static final short KNOWN_STATES = 0x6;

  /** Packets of connections that are established, or related to one that is. */
  static final XtMatch KNOWN_CONNECTION = new XtMatch("conntrack", CONNTRACK_REVISION, known());

  /** Matches every packet. */
  static XtMatch comment(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length >= COMMENT_SIZE) {
      throw new IllegalArgumentException(
          "comment \"%s\" is longer than the %d bytes that iptables keeps"
              .formatted(text, COMMENT_SIZE - 1));
    }
    return new XtMatch("comment", 0, Bytes.of(Arrays.copyOf(bytes, COMMENT_SIZE)));
  }

  private static Bytes known() {
    ByteBuffer info = ByteBuffer.allocate(CONNTRACK_SIZE).order(ByteOrder.nativeOrder());
    info.putShort(MATCH_FLAGS, MATCH_STATE).putShort(STATE_MASK, KNOWN_STATES);
    return Bytes.of(info.array());
  }

  static Optional<XtMatch> of(Expression expression) {
    if (!(expression instanceof Expression.Opaque(String name, Bytes data))
        || !name.equals(EXPRESSION)) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(data.toByteArray()).order(ByteOrder.nativeOrder());
    Attributes match = Attributes.parse(bytes);
    return Optional.of(
        new XtMatch(
            match.text(NAME, ""),
            match.be32(REVISION, 0),
            match.bytes(INFO).map(Bytes::of).orElse(Bytes.of())));
  }

  /** The name of an xtables target, which is encoded like a match; empty for anything else. */
  static Optional<String> target(Expression expression) {
    if (!(expression instanceof Expression.Opaque(String name, Bytes data))
        || !name.equals(TARGET)) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(data.toByteArray()).order(ByteOrder.nativeOrder());
    return Attributes.parse(bytes).text(NAME);
  }

  /**
   * Whether packets to one of these ports may match: all do unless a condition lists others. The
   * structure is xt_multiport_v1: flags, count, then the ports.
   */
  static boolean mayLeadPorts(List<Expression> conditions, Set<Integer> ports) {
    for (Expression condition : conditions) {
      Optional<XtMatch> match = of(condition).filter(it -> it.name.equals("multiport"));
      if (match.isPresent() && match.get().info.length() >= MULTIPORT_LIST) {
        ByteBuffer info =
            ByteBuffer.wrap(match.get().info.toByteArray()).order(ByteOrder.nativeOrder());
        int count = Math.min(info.get(1), MAX_PORTS);
        return IntStream.range(0, count)
            .map(i -> info.getShort(2 + Short.BYTES * i) & 0xffff)
            .anyMatch(ports::contains);
      }
    }
    return true;
  }

  /** The text, if this is a comment. */
  Optional<String> text() {
    if (!name.equals("comment")) {
      return Optional.empty();
    }
    byte[] bytes = info.toByteArray();
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return Optional.of(new String(bytes, 0, end, UTF_8));
  }

  Expression expression() {
    byte[] title = Arrays.copyOf(name.getBytes(UTF_8), name.length() + 1);
    ByteBuffer out =
        ByteBuffer.allocate(size(title.length) + size(Integer.BYTES) + size(info.length()));
    attribute(out, NAME, title);
    attribute(out, REVISION, ByteBuffer.allocate(Integer.BYTES).putInt(revision).array());
    attribute(out, INFO, info.toByteArray());
    return new Expression.Opaque(EXPRESSION, Bytes.of(out.array()));
  }

  private static void attribute(ByteBuffer out, int type, byte[] content) {
    out.order(ByteOrder.nativeOrder());
    out.putShort((short) (ATTRIBUTE_HEADER + content.length)).putShort((short) type);
    out.put(content);
    out.position(out.position() + size(content.length) - ATTRIBUTE_HEADER - content.length);
  }

  private static int size(int content) {
    return ATTRIBUTE_HEADER
        + (content + ATTRIBUTE_ALIGNMENT - 1) / ATTRIBUTE_ALIGNMENT * ATTRIBUTE_ALIGNMENT;
  }
}
