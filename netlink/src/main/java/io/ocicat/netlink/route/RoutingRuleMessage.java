package io.ocicat.netlink.route;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A rule on the wire: struct fib_rule_hdr and its attributes (linux/fib_rules.h). */
final class RoutingRuleMessage {
  private static final int HEADER = 12;
  private static final int FLAGS = 8;
  private static final int INVERT = 0x2;
  private static final int FRA_DST = 1;
  private static final int FRA_SRC = 2;
  private static final int FRA_IIFNAME = 3;
  private static final int FRA_GOTO = 4;
  private static final int FRA_PRIORITY = 6;
  private static final int FRA_FWMARK = 10;
  private static final int FRA_SUPPRESS_PREFIXLEN = 14;
  private static final int FRA_TABLE = 15;
  private static final int FRA_FWMASK = 16;
  private static final int FRA_OIFNAME = 17;
  private static final int FRA_PROTOCOL = 21;

  private RoutingRuleMessage() {}

  static RoutingRule read(NetlinkMessage message) {
    return FamilyHeader.value(() -> parse(message));
  }

  private static RoutingRule parse(NetlinkMessage message) {
    ByteBuffer header = message.header(HEADER);
    IpFamily family = FamilyHeader.familyOf(message);
    Attributes attributes = message.attributes(HEADER);
    return new RoutingRule(
        family,
        Integer.toUnsignedLong(attributes.u32(FRA_PRIORITY, 0)),
        (header.getInt(FLAGS) & INVERT) != 0,
        FamilyHeader.prefix(attributes, FRA_SRC, family, u8(header, 2)),
        FamilyHeader.prefix(attributes, FRA_DST, family, u8(header, 1)),
        mark(attributes),
        attributes.text(FRA_IIFNAME, ""),
        attributes.text(FRA_OIFNAME, ""),
        action(attributes, u8(header, 7), u8(header, 4)),
        attributes.u32(FRA_SUPPRESS_PREFIXLEN, -1),
        new RouteProtocol(attributes.u8(FRA_PROTOCOL, 0)));
  }

  private static @Nullable Fwmark mark(Attributes attributes) {
    int mask = attributes.u32(FRA_FWMASK, attributes.has(FRA_FWMARK) ? -1 : 0);
    return mask == 0 ? null : new Fwmark(attributes.u32(FRA_FWMARK, 0), mask);
  }

  private static RuleAction action(Attributes attributes, int number, int tableInHeader) {
    return switch (number) {
      case 0 -> new RuleAction.Unsaid();
      case RuleAction.Lookup.NUMBER -> lookup(attributes.u32(FRA_TABLE, tableInHeader));
      case RuleAction.GoTo.NUMBER ->
          new RuleAction.GoTo(Integer.toUnsignedLong(attributes.u32(FRA_GOTO, 0)));
      case 3 -> RuleAction.Answer.NOP;
      case 6 -> RuleAction.Answer.BLACKHOLE;
      case 7 -> RuleAction.Answer.UNREACHABLE;
      case 8 -> RuleAction.Answer.PROHIBIT;
      default -> new RuleAction.Other(number);
    };
  }

  /** A table number of 0 belongs to a rule that uses the table of a VRF device. */
  private static RuleAction lookup(int table) {
    return table == 0
        ? new RuleAction.Other(RuleAction.Lookup.NUMBER)
        : new RuleAction.Lookup(table);
  }

  private static int u8(ByteBuffer header, int at) {
    return Byte.toUnsignedInt(header.get(at));
  }

  static void write(MessageWriter out, RoutingRule rule, RouteProtocol protocol) {
    int table = rule.action() instanceof RuleAction.Lookup lookup ? lookup.table() : 0;
    out.field8(rule.family().number()).field8(length(rule.to())).field8(length(rule.from()));
    out.field8(0).field8(RouteTable.inHeader(table)).zeros(2).field8(rule.action().kind());
    out.field32(rule.inverted() ? INVERT : 0);
    prefix(out, FRA_SRC, rule.from());
    prefix(out, FRA_DST, rule.to());
    if (rule.priority() != RoutingRule.UNSAID) {
      out.u32(FRA_PRIORITY, (int) rule.priority());
    }
    Fwmark mark = rule.mark();
    if (mark != null) {
      out.u32(FRA_FWMARK, mark.value()).u32(FRA_FWMASK, mark.mask());
    }
    text(out, FRA_IIFNAME, rule.incoming());
    text(out, FRA_OIFNAME, rule.outgoing());
    if (table != 0) {
      out.u32(FRA_TABLE, table);
    }
    if (rule.action() instanceof RuleAction.GoTo(long priority)) {
      out.u32(FRA_GOTO, (int) priority);
    }
    if (rule.suppress() >= 0) {
      out.u32(FRA_SUPPRESS_PREFIXLEN, rule.suppress());
    }
    if (protocol.number() != 0) {
      out.u8(FRA_PROTOCOL, protocol.number());
    }
  }

  private static int length(@Nullable IpPrefix prefix) {
    return prefix == null ? 0 : prefix.length();
  }

  private static void prefix(MessageWriter out, int type, @Nullable IpPrefix prefix) {
    if (prefix != null) {
      out.bytes(type, prefix.address().toByteArray());
    }
  }

  private static void text(MessageWriter out, int type, String text) {
    if (!text.isEmpty()) {
      out.text(type, text);
    }
  }

  static void writeFilter(MessageWriter out, @Nullable IpFamily family) {
    out.field8(family == null ? 0 : family.number()).zeros(HEADER - 1);
  }
}
