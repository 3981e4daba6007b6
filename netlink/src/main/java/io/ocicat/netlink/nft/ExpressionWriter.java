package io.ocicat.netlink.nft;

import io.ocicat.netlink.MessageWriter;
import java.util.List;
import java.util.Set;

/** Writes expressions as members of a list attribute. */
final class ExpressionWriter {
  private final MessageWriter out;

  private ExpressionWriter(MessageWriter out) {
    this.out = out;
  }

  static void write(MessageWriter out, List<Expression> expressions) {
    ExpressionWriter writer = new ExpressionWriter(out);
    expressions.forEach(expression -> out.nest(Nft.LIST_ELEMENT, () -> writer.write(expression)));
  }

  private void write(Expression expression) {
    switch (expression) {
      case Expression.Meta(MetaKey key, Register to) ->
          body("meta", () -> number(Nfta.META_KEY, key).register(Nfta.META_DREG, to));
      case Expression.MetaSet(MetaKey key, Register from) ->
          body("meta", () -> number(Nfta.META_KEY, key).register(Nfta.META_SREG, from));
      case Expression.Payload payload -> body("payload", () -> payload(payload));
      case Expression.Ct(CtKey key, Register to) ->
          body("ct", () -> number(Nfta.CT_KEY, key).register(Nfta.CT_DREG, to));
      case Expression.CtTuple tuple -> body("ct", () -> tuple(tuple));
      case Expression.CtSet(CtKey key, Register from) ->
          body("ct", () -> number(Nfta.CT_KEY, key).register(Nfta.CT_SREG, from));
      case Expression.Fib fib -> body("fib", () -> fib(fib));
      case Expression.Compare compare -> body("cmp", () -> compare(compare));
      case Expression.Range range -> body("range", () -> range(range));
      case Expression.Bitwise bitwise -> body("bitwise", () -> bitwise(bitwise));
      case Expression.ByteSwap swap -> body("byteorder", () -> byteOrder(swap));
      case Expression.Lookup(String set, Register key, boolean inverted) ->
          body("lookup", () -> lookup(set, key).flagInverted(Nfta.LOOKUP_FLAGS, inverted));
      case Expression.MapLookup(String map, Register key, Register to) ->
          body("lookup", () -> lookup(map, key).register(Nfta.LOOKUP_DREG, to));
      case Expression.VerdictLookup(String map, Register key) ->
          body("lookup", () -> lookup(map, key).out.be32(Nfta.LOOKUP_DREG, Nfta.VERDICT_REGISTER));
      case Expression.Immediate(Register to, Bytes value) ->
          body(
              "immediate",
              () -> register(Nfta.IMMEDIATE_DREG, to).data(Nfta.IMMEDIATE_DATA, value));
      case Expression.Decide(Verdict verdict) -> body("immediate", () -> decide(verdict));
      case Expression.Counter(long packets, long bytes) ->
          body(
              "counter",
              () -> out.be64(Nfta.COUNTER_BYTES, bytes).be64(Nfta.COUNTER_PACKETS, packets));
      case Expression.Nat nat -> body("nat", () -> nat(nat));
      case Expression.Masquerade(List<Register> ports, Set<NatFlag> flags) ->
          body(
              "masq",
              () ->
                  natFlags(Nfta.MASQ_FLAGS, flags, ports)
                      .registers(Nfta.MASQ_REG_PROTO_MIN, Nfta.MASQ_REG_PROTO_MAX, ports));
      case Expression.Redirect(List<Register> ports, Set<NatFlag> flags) ->
          body(
              "redir",
              () ->
                  natFlags(Nfta.REDIR_FLAGS, flags, ports)
                      .registers(Nfta.REDIR_REG_PROTO_MIN, Nfta.REDIR_REG_PROTO_MAX, ports));
      case Expression.Limit limit -> body("limit", () -> limit(limit));
      case Expression.Reject(RejectKind kind, int code) ->
          body("reject", () -> number(Nfta.REJECT_TYPE, kind).out.u8(Nfta.REJECT_CODE, code));
      case Expression.Log log -> body("log", () -> log(log));
      case Expression.LogToGroup log -> body("log", () -> logToGroup(log));
      case Expression.NoTrack _ -> body("notrack", () -> {});
      case Expression.UpdateSet update -> body("dynset", () -> updateSet(update));
      case Expression.Opaque(String name, Bytes data) ->
          body(name, () -> out.fieldBytes(data.toByteArray()));
    }
  }

  private void body(String name, Runnable attributes) {
    out.text(Nfta.EXPR_NAME, name).nest(Nfta.EXPR_DATA, attributes);
  }

  private void payload(Expression.Payload payload) {
    register(Nfta.PAYLOAD_DREG, payload.to());
    number(Nfta.PAYLOAD_BASE, payload.header());
    out.be32(Nfta.PAYLOAD_OFFSET, payload.offset());
    out.be32(Nfta.PAYLOAD_LEN, payload.length());
  }

  private void tuple(Expression.CtTuple tuple) {
    number(Nfta.CT_KEY, tuple.key()).register(Nfta.CT_DREG, tuple.to());
    out.u8(Nfta.CT_DIRECTION, tuple.direction().number());
  }

  private void fib(Expression.Fib fib) {
    register(Nfta.FIB_DREG, fib.to());
    number(Nfta.FIB_RESULT, fib.result());
    out.be32(Nfta.FIB_FLAGS, Symbol.sum(fib.flags()));
  }

  private void compare(Expression.Compare compare) {
    register(Nfta.CMP_SREG, compare.register());
    number(Nfta.CMP_OP, compare.comparison()).data(Nfta.CMP_DATA, compare.value());
  }

  private void range(Expression.Range range) {
    register(Nfta.RANGE_SREG, range.register());
    out.be32(Nfta.RANGE_OP, range.outside() ? 1 : 0);
    data(Nfta.RANGE_FROM, range.first()).data(Nfta.RANGE_TO, range.last());
  }

  private void bitwise(Expression.Bitwise bitwise) {
    register(Nfta.BITWISE_SREG, bitwise.from()).register(Nfta.BITWISE_DREG, bitwise.to());
    out.be32(Nfta.BITWISE_LEN, bitwise.mask().length());
    data(Nfta.BITWISE_MASK, bitwise.mask()).data(Nfta.BITWISE_XOR, bitwise.xor());
  }

  private void byteOrder(Expression.ByteSwap swap) {
    register(Nfta.BYTEORDER_SREG, swap.from()).register(Nfta.BYTEORDER_DREG, swap.to());
    out.be32(Nfta.BYTEORDER_OP, swap.toNetwork() ? 1 : 0);
    out.be32(Nfta.BYTEORDER_LEN, swap.length()).be32(Nfta.BYTEORDER_SIZE, swap.size());
  }

  private ExpressionWriter lookup(String set, Register key) {
    out.text(Nfta.LOOKUP_SET, set);
    return register(Nfta.LOOKUP_SREG, key);
  }

  private void decide(Verdict verdict) {
    out.be32(Nfta.IMMEDIATE_DREG, Nfta.VERDICT_REGISTER);
    RegisterData.write(out, Nfta.IMMEDIATE_DATA, verdict);
  }

  private void nat(Expression.Nat nat) {
    number(Nfta.NAT_TYPE, nat.kind()).number(Nfta.NAT_FAMILY, nat.family());
    registers(Nfta.NAT_REG_ADDR_MIN, Nfta.NAT_REG_ADDR_MAX, nat.addresses());
    registers(Nfta.NAT_REG_PROTO_MIN, Nfta.NAT_REG_PROTO_MAX, nat.ports());
    natFlags(Nfta.NAT_FLAGS, nat.flags(), nat.ports());
  }

  private void limit(Expression.Limit limit) {
    out.be64(Nfta.LIMIT_RATE, limit.rate()).be64(Nfta.LIMIT_UNIT, limit.interval().toSeconds());
    out.be32(Nfta.LIMIT_BURST, limit.burst()).be32(Nfta.LIMIT_TYPE, limit.bytes() ? 1 : 0);
    flagInverted(Nfta.LIMIT_FLAGS, limit.over());
  }

  private void log(Expression.Log log) {
    prefix(log.prefix()).number(Nfta.LOG_LEVEL, log.level());
    if (log.flags() != 0) {
      out.be32(Nfta.LOG_FLAGS, log.flags());
    }
  }

  private void logToGroup(Expression.LogToGroup log) {
    prefix(log.prefix());
    out.be16(Nfta.LOG_GROUP, log.group());
    if (log.snapLength() != 0) {
      out.be32(Nfta.LOG_SNAPLEN, log.snapLength());
    }
    if (log.threshold() != 0) {
      out.be16(Nfta.LOG_QTHRESHOLD, log.threshold());
    }
  }

  private void updateSet(Expression.UpdateSet update) {
    out.text(Nfta.DYNSET_SET, update.set());
    number(Nfta.DYNSET_OP, update.change()).register(Nfta.DYNSET_SREG_KEY, update.key());
    if (!update.timeout().isZero()) {
      out.be64(Nfta.DYNSET_TIMEOUT, update.timeout().toMillis());
    }
  }

  private ExpressionWriter prefix(String prefix) {
    if (!prefix.isEmpty()) {
      out.text(Nfta.LOG_PREFIX, prefix);
    }
    return this;
  }

  private ExpressionWriter number(int type, Symbol symbol) {
    out.be32(type, symbol.number());
    return this;
  }

  private ExpressionWriter register(int type, Register register) {
    out.be32(type, register.number());
    return this;
  }

  private ExpressionWriter registers(int first, int last, List<Register> registers) {
    if (!registers.isEmpty()) {
      register(first, registers.getFirst());
    }
    return registers.size() > 1 ? register(last, registers.get(1)) : this;
  }

  private ExpressionWriter data(int type, Bytes value) {
    RegisterData.write(out, type, value);
    return this;
  }

  private ExpressionWriter flagInverted(int type, boolean inverted) {
    if (inverted) {
      out.be32(type, Nfta.INVERTED);
    }
    return this;
  }

  private ExpressionWriter natFlags(int type, Set<NatFlag> flags, List<Register> ports) {
    int bits = Symbol.sum(flags) | (ports.isEmpty() ? 0 : Nfta.NAT_PORT_GIVEN);
    if (bits != 0) {
      out.be32(type, bits);
    }
    return this;
  }
}
