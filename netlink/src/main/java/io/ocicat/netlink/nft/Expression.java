package io.ocicat.netlink.nft;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * One expression of a rule, the unit that the kernel executes. Loads put something into a register,
 * conditions end the rule when a register does not match, the rest acts. {@link Match} and {@link
 * Statement} build them in the right combinations.
 */
public sealed interface Expression extends Clause {
  record Meta(MetaKey key, Register to) implements Expression {}

  record MetaSet(MetaKey key, Register from) implements Expression {}

  record Payload(PayloadHeader header, int offset, int length, Register to) implements Expression {}

  record Ct(CtKey key, Register to) implements Expression {}

  /** A value of the connection's packets in one of its directions. */
  record CtTuple(CtKey key, Direction direction, Register to) implements Expression {}

  record CtSet(CtKey key, Register from) implements Expression {}

  record Fib(FibResult result, Set<FibFlag> flags, Register to) implements Expression {
    public Fib {
      flags = Set.copyOf(flags);
    }
  }

  /** Compares as many bytes as the value has. */
  record Compare(Register register, Comparison comparison, Bytes value) implements Expression {}

  record Range(Register register, boolean outside, Bytes first, Bytes last) implements Expression {}

  /** {@code to = (from & mask) ^ xor}. */
  record Bitwise(Register from, Register to, Bytes mask, Bytes xor) implements Expression {}

  /**
   * Converts numbers between the machine's byte order and the network's.
   *
   * @param length bytes altogether
   * @param size bytes of each number
   */
  record ByteSwap(Register from, Register to, boolean toNetwork, int length, int size)
      implements Expression {}

  /** Continues when the key is in the set or, inverted, when it is not. */
  record Lookup(String set, Register key, boolean inverted) implements Expression {}

  /** Continues when the key is in the map, with its data. */
  record MapLookup(String map, Register key, Register to) implements Expression {}

  /** Applies the verdict of the verdict map. */
  record VerdictLookup(String map, Register key) implements Expression {}

  record Immediate(Register to, Bytes value) implements Expression {}

  record Decide(Verdict verdict) implements Expression {}

  record Counter(long packets, long bytes) implements Expression {
    private static final Counter ZERO = new Counter(0, 0);
  }

  /** The same with every counter at zero: rules that differ only in what they counted are equal. */
  static List<Expression> withoutCounts(List<Expression> expressions) {
    return expressions.stream()
        .map(expression -> expression instanceof Counter ? Counter.ZERO : expression)
        .toList();
  }

  /**
   * Translates addresses.
   *
   * @param family of the addresses
   * @param addresses registers of the address, or of the first and last; none to keep the address
   * @param ports registers of the port, or of the first and last; none to keep the port
   */
  record Nat(
      NatKind kind,
      TableFamily family,
      List<Register> addresses,
      List<Register> ports,
      Set<NatFlag> flags)
      implements Expression {
    public Nat {
      addresses = List.copyOf(addresses);
      ports = List.copyOf(ports);
      flags = Set.copyOf(flags);
    }
  }

  /** Translates the source to the address of the outgoing interface. */
  record Masquerade(List<Register> ports, Set<NatFlag> flags) implements Expression {
    public Masquerade {
      ports = List.copyOf(ports);
      flags = Set.copyOf(flags);
    }
  }

  /** Translates the destination to the machine itself. */
  record Redirect(List<Register> ports, Set<NatFlag> flags) implements Expression {
    public Redirect {
      ports = List.copyOf(ports);
      flags = Set.copyOf(flags);
    }
  }

  /**
   * Continues for so many packets, or bytes, in each interval; with {@code over} for those beyond.
   */
  record Limit(long rate, Duration interval, int burst, boolean bytes, boolean over)
      implements Expression {}

  /** Rejects with an error; the code is the one of ICMP, ICMPv6 or nft's icmpx. */
  record Reject(RejectKind kind, int code) implements Expression {}

  /** Writes a line to the kernel log. */
  record Log(String prefix, LogLevel level, int flags) implements Expression {}

  /** Sends the packet to the listeners of a netlink log group. */
  record LogToGroup(String prefix, int group, int snapLength, int threshold)
      implements Expression {}

  /** Excludes the packet from connection tracking. */
  record NoTrack() implements Expression {}

  /** Changes a dynamic set; a zero timeout means the set's own. */
  record UpdateSet(SetChange change, String set, Register key, Duration timeout)
      implements Expression {}

  /** An expression this package has no record for, as the kernel reported it. */
  record Opaque(String name, Bytes data) implements Expression {}
}
