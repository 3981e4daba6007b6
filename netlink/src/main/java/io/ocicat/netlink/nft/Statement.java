package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.Register.R1;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** The statements of a rule: what it does with the packets that match its conditions. */
public final class Statement {
  private static final int NFT_DEFAULT_BURST = 5;
  private static final int MAX_LOG_GROUP = 0xffff;

  private static final Map<ChronoUnit, String> LIMIT_UNITS =
      Map.of(
          ChronoUnit.SECONDS, "second",
          ChronoUnit.MINUTES, "minute",
          ChronoUnit.HOURS, "hour",
          ChronoUnit.DAYS, "day",
          ChronoUnit.WEEKS, "week");

  private Statement() {}

  public static Clause accept() {
    return verdict(Verdict.ACCEPT);
  }

  public static Clause drop() {
    return verdict(Verdict.DROP);
  }

  /** Returns to the chain that jumped here, or in a base chain to its policy. */
  public static Clause goBack() {
    return verdict(Verdict.RETURN);
  }

  public static Clause jump(ChainId chain) {
    return verdict(Verdict.jump(chain.name()));
  }

  public static Clause goTo(ChainId chain) {
    return verdict(Verdict.goTo(chain.name()));
  }

  public static Clause verdict(Verdict verdict) {
    return Clause.Phrase.of(verdict.toString(), rule -> rule.add(new Expression.Decide(verdict)));
  }

  /** Raw expressions, for a rule in another program's form; messages show the text instead. */
  public static Clause expressions(String text, List<Expression> expressions) {
    return Clause.Phrase.of(text, rule -> expressions.forEach(rule::add));
  }

  /**
   * Applies the verdict of the verdict map for the concatenated fields; continues when it has none.
   */
  public static Clause vmap(NamedSet map, PacketField... fields) {
    List<PacketField> key = Match.checkKey(map, fields);
    if (!(map.target() instanceof NamedSet.Target.Verdicts)) {
      throw new IllegalArgumentException(map + " holds no verdicts");
    }
    return Clause.Phrase.of(
        "%s vmap @%s".formatted(PacketField.text(fields), map.id().name()),
        rule -> {
          rule.load(key);
          rule.add(new Expression.VerdictLookup(map.id().name(), R1));
        });
  }

  public static Clause counter() {
    return Clause.Phrase.of("counter", rule -> rule.add(new Expression.Counter(0, 0)));
  }

  /** Continues for so many packets in each second, minute, hour, day or week. */
  public static Clause limit(long packets, ChronoUnit interval) {
    return limit(packets, interval, false);
  }

  /** Continues for the packets beyond so many in each second, minute, hour, day or week. */
  public static Clause limitOver(long packets, ChronoUnit interval) {
    return limit(packets, interval, true);
  }

  private static Clause limit(long packets, ChronoUnit interval, boolean over) {
    String unit = LIMIT_UNITS.get(interval);
    if (unit == null || packets < 1) {
      throw new IllegalArgumentException(
          "no limit of %d packets in units of %s: at least 1, by second, minute, hour, day or week"
              .formatted(packets, interval));
    }
    Expression.Limit limit =
        new Expression.Limit(packets, interval.getDuration(), NFT_DEFAULT_BURST, false, over);
    return Clause.Phrase.of(
        "limit rate %s%d/%s".formatted(over ? "over " : "", packets, unit),
        rule -> rule.add(limit));
  }

  public static Clause log(String prefix) {
    return log(prefix, LogLevel.WARN);
  }

  public static Clause log(String prefix, LogLevel level) {
    NameRules.logPrefix(prefix);
    return Clause.Phrase.of(
        "log prefix \"%s\" level %s".formatted(prefix, level.word()),
        rule -> rule.add(new Expression.Log(prefix, level, 0)));
  }

  /**
   * Sends the packet to whoever listens to this netlink log group; costs little when nobody does.
   */
  public static Clause logTo(int group, String prefix) {
    NameRules.logPrefix(prefix);
    if (group < 0 || group > MAX_LOG_GROUP) {
      throw new IllegalArgumentException(
          "no log group %d: 0 to %d".formatted(group, MAX_LOG_GROUP));
    }
    return Clause.Phrase.of(
        "log prefix \"%s\" group %d".formatted(prefix, group),
        rule -> rule.add(new Expression.LogToGroup(prefix, group, 0, 0)));
  }

  /** Drops the packet and sends its sender a "port unreachable". */
  public static Clause reject() {
    return Clause.Phrase.of("reject", rule -> rule.add(portUnreachable(rule)));
  }

  private static Expression portUnreachable(RuleAssembly rule) {
    if (rule.knows(Layer.IPV4)) {
      return new Expression.Reject(RejectKind.ICMP, 3);
    }
    return rule.knows(Layer.IPV6)
        ? new Expression.Reject(RejectKind.ICMP, 4)
        : new Expression.Reject(RejectKind.ICMPX, 1);
  }

  /** Ends the TCP connection. */
  public static Clause rejectWithTcpReset() {
    return Clause.Phrase.of(
        "reject with tcp reset",
        rule -> {
          rule.require(Layer.TCP);
          rule.add(new Expression.Reject(RejectKind.TCP_RESET, 0));
        });
  }

  public static Clause notrack() {
    return Clause.Phrase.of("notrack", rule -> rule.add(new Expression.NoTrack()));
  }

  /** Adds the key to a dynamic set; an existing one gets its timeout renewed. */
  public static Clause update(NamedSet set, Duration timeout, PacketField... fields) {
    List<PacketField> key = Match.checkKey(set, fields);
    String life = timeout.isZero() ? "" : " timeout " + timeout.toMillis() + "ms";
    return Clause.Phrase.of(
        "update @%s { %s%s }".formatted(set.id().name(), PacketField.text(fields), life),
        rule -> {
          rule.load(key);
          rule.add(new Expression.UpdateSet(SetChange.UPDATE, set.id().name(), R1, timeout));
        });
  }

  /** Sets the packet's mark. */
  public static Clause setMark(int mark) {
    Value value = Value.mark(mark);
    return Clause.Phrase.of(
        "meta mark set " + value,
        rule -> {
          rule.add(new Expression.Immediate(R1, value.bytes()));
          rule.add(new Expression.MetaSet(MetaKey.MARK, R1));
        });
  }

  /** Sets the bits of the mark that are in the mask, and leaves the others. */
  public static Clause setMark(int mark, int mask) {
    return Clause.Phrase.of(
        "meta mark set meta mark & 0x%08x ^ 0x%08x".formatted(~mask, mark & mask),
        rule -> {
          rule.load(PacketField.MARK);
          changeBits(rule, mark, mask);
          rule.add(new Expression.MetaSet(MetaKey.MARK, R1));
        });
  }

  /** Sets the bits of the connection's mark that are in the mask, and leaves the others. */
  public static Clause setCtMark(int mark, int mask) {
    return Clause.Phrase.of(
        "ct mark set ct mark & 0x%08x ^ 0x%08x".formatted(~mask, mark & mask),
        rule -> {
          rule.load(PacketField.CT_MARK);
          changeBits(rule, mark, mask);
          rule.add(new Expression.CtSet(CtKey.MARK, R1));
        });
  }

  private static void changeBits(RuleAssembly rule, int mark, int mask) {
    Bytes keep = Value.mark(~mask).bytes();
    rule.add(new Expression.Bitwise(R1, R1, keep, Value.mark(mark & mask).bytes()));
  }

  /** Copies the packet's mark to its connection. */
  public static Clause saveMark() {
    return Clause.Phrase.of(
        "ct mark set meta mark",
        rule -> {
          rule.load(PacketField.MARK);
          rule.add(new Expression.CtSet(CtKey.MARK, R1));
        });
  }

  /** Copies the connection's mark to the packet. */
  public static Clause restoreMark() {
    return Clause.Phrase.of(
        "meta mark set ct mark",
        rule -> {
          rule.load(PacketField.CT_MARK);
          rule.add(new Expression.MetaSet(MetaKey.MARK, R1));
        });
  }
}
