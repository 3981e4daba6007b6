package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads expressions from netlink attributes. Whatever has a key, a flag or an attribute that the
 * records cannot express becomes opaque rather than simplified: kernels and other programs know
 * more than we do.
 */
final class ExpressionReader {
  private final Attributes in;

  private ExpressionReader(Attributes in) {
    this.in = in;
  }

  static List<Expression> read(List<Attributes> list) {
    return list.stream().map(ExpressionReader::readOne).toList();
  }

  private static Expression readOne(Attributes expression) {
    String name = Nft.name(expression, Nfta.EXPR_NAME);
    Bytes raw = expression.bytes(Nfta.EXPR_DATA).map(Bytes::of).orElse(Bytes.of());
    return new ExpressionReader(expression.nested(Nfta.EXPR_DATA))
        .read(name)
        .orElse(new Expression.Opaque(name, raw));
  }

  private Optional<Expression> read(String name) {
    return switch (name) {
      case "meta" -> only(Nfta.META_SREG).flatMap(_ -> meta());
      case "payload" -> only(Nfta.PAYLOAD_LEN).flatMap(_ -> payload());
      case "ct" -> only(Nfta.CT_SREG).flatMap(_ -> ct());
      case "fib" -> only(Nfta.FIB_FLAGS).flatMap(_ -> fib());
      case "cmp" -> only(Nfta.CMP_DATA).flatMap(_ -> compare());
      case "range" -> only(Nfta.RANGE_TO).map(_ -> range());
      case "bitwise" -> only(Nfta.BITWISE_OP).flatMap(_ -> bitwise());
      case "byteorder" -> only(Nfta.BYTEORDER_SIZE).map(_ -> byteSwap());
      case "lookup" -> only(Nfta.LOOKUP_FLAGS).map(_ -> lookup());
      case "immediate" -> only(Nfta.IMMEDIATE_DATA).flatMap(_ -> immediate());
      case "counter" -> only(Nfta.COUNTER_PACKETS).map(_ -> counter());
      case "nat" -> only(Nfta.NAT_FLAGS).flatMap(_ -> nat());
      case "masq" -> only(Nfta.MASQ_REG_PROTO_MAX).flatMap(_ -> masquerade());
      case "redir" -> only(Nfta.REDIR_FLAGS).flatMap(_ -> redirect());
      case "limit" -> only(Nfta.LIMIT_FLAGS).map(_ -> limit());
      case "reject" -> only(Nfta.REJECT_CODE).flatMap(_ -> reject());
      case "log" -> only(Nfta.LOG_FLAGS).flatMap(_ -> log());
      case "notrack" -> Optional.of(new Expression.NoTrack());
      case "dynset" -> only(Nfta.DYNSET_FLAGS).flatMap(_ -> updateSet());
      default -> Optional.empty();
    };
  }

  /** This reader, unless there is an attribute beyond the last one known. */
  private Optional<ExpressionReader> only(int lastKnown) {
    return in.types().stream().allMatch(type -> type <= lastKnown)
        ? Optional.of(this)
        : Optional.empty();
  }

  private Optional<Expression> meta() {
    return Symbol.find(MetaKey.values(), in.be32(Nfta.META_KEY, -1))
        .map(
            key ->
                in.has(Nfta.META_SREG)
                    ? new Expression.MetaSet(key, register(Nfta.META_SREG))
                    : new Expression.Meta(key, register(Nfta.META_DREG)));
  }

  private Optional<Expression> payload() {
    return Symbol.find(PayloadHeader.values(), in.be32(Nfta.PAYLOAD_BASE, -1))
        .map(
            header ->
                new Expression.Payload(
                    header,
                    in.be32(Nfta.PAYLOAD_OFFSET, 0),
                    in.be32(Nfta.PAYLOAD_LEN, 0),
                    register(Nfta.PAYLOAD_DREG)));
  }

  private Optional<Expression> ct() {
    return Symbol.find(CtKey.values(), in.be32(Nfta.CT_KEY, -1)).flatMap(this::ct);
  }

  private Optional<Expression> ct(CtKey key) {
    if (in.has(Nfta.CT_SREG)) {
      return in.has(Nfta.CT_DIRECTION)
          ? Optional.empty()
          : Optional.of(new Expression.CtSet(key, register(Nfta.CT_SREG)));
    }
    Register to = register(Nfta.CT_DREG);
    return in.has(Nfta.CT_DIRECTION)
        ? Symbol.find(Direction.values(), in.u8(Nfta.CT_DIRECTION, -1))
            .map(direction -> new Expression.CtTuple(key, direction, to))
        : Optional.of(new Expression.Ct(key, to));
  }

  private Optional<Expression> fib() {
    return Symbol.find(FibResult.values(), in.be32(Nfta.FIB_RESULT, 0))
        .flatMap(
            result ->
                bits(FibFlag.values(), in.be32(Nfta.FIB_FLAGS, 0))
                    .map(flags -> new Expression.Fib(result, flags, register(Nfta.FIB_DREG))));
  }

  private Optional<Expression> compare() {
    return Symbol.find(Comparison.values(), in.be32(Nfta.CMP_OP, -1))
        .map(
            comparison ->
                new Expression.Compare(register(Nfta.CMP_SREG), comparison, bytes(Nfta.CMP_DATA)));
  }

  private Expression range() {
    return new Expression.Range(
        register(Nfta.RANGE_SREG),
        in.be32(Nfta.RANGE_OP, 0) != 0,
        bytes(Nfta.RANGE_FROM),
        bytes(Nfta.RANGE_TO));
  }

  private Optional<Expression> bitwise() {
    return in.be32(Nfta.BITWISE_OP, 0) == 0
        ? Optional.of(
            new Expression.Bitwise(
                register(Nfta.BITWISE_SREG),
                register(Nfta.BITWISE_DREG),
                bytes(Nfta.BITWISE_MASK),
                bytes(Nfta.BITWISE_XOR)))
        : Optional.empty();
  }

  private Expression byteSwap() {
    return new Expression.ByteSwap(
        register(Nfta.BYTEORDER_SREG),
        register(Nfta.BYTEORDER_DREG),
        in.be32(Nfta.BYTEORDER_OP, 0) != 0,
        in.be32(Nfta.BYTEORDER_LEN, 0),
        in.be32(Nfta.BYTEORDER_SIZE, 0));
  }

  private Expression lookup() {
    String set = Nft.name(in, Nfta.LOOKUP_SET);
    Register key = register(Nfta.LOOKUP_SREG);
    if (!in.has(Nfta.LOOKUP_DREG)) {
      boolean inverted = (in.be32(Nfta.LOOKUP_FLAGS, 0) & Nfta.INVERTED) != 0;
      return new Expression.Lookup(set, key, inverted);
    }
    return in.be32(Nfta.LOOKUP_DREG, 0) == Nfta.VERDICT_REGISTER
        ? new Expression.VerdictLookup(set, key)
        : new Expression.MapLookup(set, key, register(Nfta.LOOKUP_DREG));
  }

  private Optional<Expression> immediate() {
    return in.be32(Nfta.IMMEDIATE_DREG, 0) == Nfta.VERDICT_REGISTER
        ? RegisterData.readVerdict(in, Nfta.IMMEDIATE_DATA).map(Expression.Decide::new)
        : Optional.of(
            new Expression.Immediate(register(Nfta.IMMEDIATE_DREG), bytes(Nfta.IMMEDIATE_DATA)));
  }

  private Expression counter() {
    return new Expression.Counter(in.be64(Nfta.COUNTER_PACKETS, 0), in.be64(Nfta.COUNTER_BYTES, 0));
  }

  private Optional<Expression> nat() {
    Optional<NatKind> kind = Symbol.find(NatKind.values(), in.be32(Nfta.NAT_TYPE, -1));
    Optional<TableFamily> family = Symbol.find(TableFamily.values(), in.be32(Nfta.NAT_FAMILY, 0));
    Optional<Set<NatFlag>> flags = natFlags(Nfta.NAT_FLAGS);
    if (kind.isEmpty() || family.isEmpty() || flags.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Expression.Nat(
            kind.get(),
            family.get(),
            registers(Nfta.NAT_REG_ADDR_MIN, Nfta.NAT_REG_ADDR_MAX),
            registers(Nfta.NAT_REG_PROTO_MIN, Nfta.NAT_REG_PROTO_MAX),
            flags.get()));
  }

  private Optional<Expression> masquerade() {
    List<Register> ports = registers(Nfta.MASQ_REG_PROTO_MIN, Nfta.MASQ_REG_PROTO_MAX);
    return natFlags(Nfta.MASQ_FLAGS).map(flags -> new Expression.Masquerade(ports, flags));
  }

  private Optional<Expression> redirect() {
    List<Register> ports = registers(Nfta.REDIR_REG_PROTO_MIN, Nfta.REDIR_REG_PROTO_MAX);
    return natFlags(Nfta.REDIR_FLAGS).map(flags -> new Expression.Redirect(ports, flags));
  }

  private Expression limit() {
    return new Expression.Limit(
        in.be64(Nfta.LIMIT_RATE, 0),
        Duration.ofSeconds(in.be64(Nfta.LIMIT_UNIT, 1)),
        in.be32(Nfta.LIMIT_BURST, 0),
        in.be32(Nfta.LIMIT_TYPE, 0) != 0,
        (in.be32(Nfta.LIMIT_FLAGS, 0) & Nfta.INVERTED) != 0);
  }

  private Optional<Expression> reject() {
    return Symbol.find(RejectKind.values(), in.be32(Nfta.REJECT_TYPE, -1))
        .map(kind -> new Expression.Reject(kind, in.u8(Nfta.REJECT_CODE, 0)));
  }

  private Optional<Expression> log() {
    String prefix = in.text(Nfta.LOG_PREFIX, "");
    if (in.has(Nfta.LOG_GROUP)) {
      return Optional.of(
          new Expression.LogToGroup(
              prefix,
              in.be16(Nfta.LOG_GROUP, 0),
              in.be32(Nfta.LOG_SNAPLEN, 0),
              in.be16(Nfta.LOG_QTHRESHOLD, 0)));
    }
    int level = in.be32(Nfta.LOG_LEVEL, LogLevel.WARN.number());
    return Symbol.find(LogLevel.values(), level)
        .map(known -> new Expression.Log(prefix, known, in.be32(Nfta.LOG_FLAGS, 0)));
  }

  private Optional<Expression> updateSet() {
    boolean plain =
        in.be32(Nfta.DYNSET_FLAGS, 0) == 0
            && !in.has(Nfta.DYNSET_SREG_DATA)
            && !in.has(Nfta.DYNSET_EXPR);
    return plain
        ? Symbol.find(SetChange.values(), in.be32(Nfta.DYNSET_OP, -1))
            .map(
                change ->
                    new Expression.UpdateSet(
                        change,
                        Nft.name(in, Nfta.DYNSET_SET),
                        register(Nfta.DYNSET_SREG_KEY),
                        Duration.ofMillis(in.be64(Nfta.DYNSET_TIMEOUT, 0))))
        : Optional.empty();
  }

  private Register register(int type) {
    return Register.of(in.be32(type, -1));
  }

  /** The kernel reports a single value as a range of itself. */
  private List<Register> registers(int first, int last) {
    if (!in.has(first)) {
      return List.of();
    }
    Register from = register(first);
    Register to = in.has(last) ? register(last) : from;
    return from.equals(to) ? List.of(from) : List.of(from, to);
  }

  private Bytes bytes(int type) {
    return RegisterData.readBytes(in, type);
  }

  private Optional<Set<NatFlag>> natFlags(int type) {
    int implied = Nfta.NAT_ADDRESS_GIVEN | Nfta.NAT_PORT_GIVEN;
    return bits(NatFlag.values(), in.be32(type, 0) & ~implied);
  }

  /** Empty when a bit is set that has no name. */
  private static <S extends Symbol> Optional<Set<S>> bits(S[] symbols, int bits) {
    Set<S> known =
        Arrays.stream(symbols)
            .filter(symbol -> (bits & symbol.number()) != 0)
            .collect(Collectors.toSet());
    return Symbol.sum(known) == bits ? Optional.of(known) : Optional.empty();
  }
}
