package io.ocicat.plugins.iptables;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.nft.Bytes;
import io.ocicat.netlink.nft.Comparison;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.MetaKey;
import io.ocicat.netlink.nft.PayloadHeader;
import io.ocicat.netlink.nft.Register;
import io.ocicat.netlink.nft.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes rules in the form of iptables-nft, expression by expression. Anything else in
 * a chain makes iptables-nft call the chain incompatible and hide all of it, whatever it means to
 * the kernel.
 */
final class NftForm {
  /** The offsets of addresses in the packet header. */
  private enum Place {
    SOURCE_4(12, 4),
    DESTINATION_4(16, 4),
    SOURCE_6(8, 16),
    DESTINATION_6(24, 16);

    private final int offset;
    private final int length;

    Place(int offset, int length) {
      this.offset = offset;
      this.length = length;
    }

    Expression load() {
      return new Expression.Payload(PayloadHeader.NETWORK, offset, length, Register.R1);
    }
  }

  private NftForm() {}

  static List<Expression> write(IptablesRule rule) {
    List<Expression> to = new ArrayList<>();
    link(to, MetaKey.IIFNAME, rule.in(), Comparison.EQ);
    link(to, MetaKey.OIFNAME, rule.out(), rule.notOut() ? Comparison.NEQ : Comparison.EQ);
    if (rule.source() != null) {
      address(to, rule.source(), Place.SOURCE_4, Place.SOURCE_6);
    }
    if (rule.destination() != null) {
      address(to, rule.destination(), Place.DESTINATION_4, Place.DESTINATION_6);
    }
    if (rule.known()) {
      to.add(XtMatch.KNOWN_CONNECTION.expression());
    }
    if (!rule.comment().isEmpty()) {
      to.add(XtMatch.comment(rule.comment()).expression());
    }
    to.add(new Expression.Counter(0, 0));
    to.add(new Expression.Decide(verdict(rule.target())));
    return to;
  }

  private static void address(List<Expression> to, IpAddress address, Place v4, Place v6) {
    to.add((address.isV4() ? v4 : v6).load());
    to.add(equal(Bytes.of(address.toByteArray()), Comparison.EQ));
  }

  private static void link(List<Expression> to, MetaKey key, String name, Comparison comparison) {
    if (!name.isEmpty()) {
      to.add(new Expression.Meta(key, Register.R1));
      // The terminating zero distinguishes the name from a prefix of a longer one.
      to.add(equal(Bytes.of((name + "\0").getBytes(UTF_8)), comparison));
    }
  }

  private static Expression equal(Bytes value, Comparison comparison) {
    return new Expression.Compare(Register.R1, comparison, value);
  }

  private static Verdict verdict(String target) {
    return switch (target) {
      case IptablesRule.ACCEPT -> Verdict.ACCEPT;
      case IptablesRule.DROP -> Verdict.DROP;
      case IptablesRule.RETURN -> Verdict.RETURN;
      default -> Verdict.jump(target);
    };
  }

  /** Empty for a rule with parts that ours never have. */
  static Optional<IptablesRule> read(InstalledRule installed) {
    IptablesRule rule = IptablesRule.to("").commented(installed.comment());
    Iterator<Expression> rest = installed.expressions().iterator();
    while (rest.hasNext()) {
      IptablesRule narrowed = narrow(rule, rest.next(), rest);
      if (narrowed == null) {
        return Optional.empty();
      }
      rule = narrowed;
    }
    return rule.target().isEmpty() ? Optional.empty() : Optional.of(rule);
  }

  private static @Nullable IptablesRule narrow(
      IptablesRule rule, Expression expression, Iterator<Expression> rest) {
    return switch (expression) {
      case Expression.Counter _ -> rule;
      case Expression.Decide(Verdict verdict) -> decide(rule, verdict);
      case Expression.Opaque opaque ->
          XtMatch.of(opaque).map(match -> extend(rule, match)).orElse(null);
      case Expression.Payload payload when rest.hasNext() -> address(rule, payload, rest.next());
      case Expression.Meta(MetaKey key, Register _) when rest.hasNext() ->
          link(rule, key, rest.next());
      default -> null;
    };
  }

  private static @Nullable IptablesRule decide(IptablesRule rule, Verdict verdict) {
    return switch (verdict.action()) {
      case ACCEPT -> rule.then(IptablesRule.ACCEPT);
      case DROP -> rule.then(IptablesRule.DROP);
      case RETURN -> rule.then(IptablesRule.RETURN);
      case JUMP -> rule.then(verdict.chain());
      case GOTO, CONTINUE -> null;
    };
  }

  private static @Nullable IptablesRule extend(IptablesRule rule, XtMatch match) {
    return match.equals(XtMatch.KNOWN_CONNECTION)
        ? rule.ofKnownConnections()
        : match.text().map(rule::commented).orElse(null);
  }

  private static @Nullable IptablesRule address(
      IptablesRule rule, Expression.Payload payload, Expression test) {
    Optional<Place> place =
        Arrays.stream(Place.values()).filter(known -> known.load().equals(payload)).findFirst();
    if (place.isEmpty()
        || !(test instanceof Expression.Compare(Register _, Comparison comparison, Bytes value))
        || comparison != Comparison.EQ
        || value.length() != place.get().length) {
      return null;
    }
    IpAddress address = IpAddress.ofBytes(value.toByteArray());
    return switch (place.get()) {
      case SOURCE_4, SOURCE_6 -> rule.from(address);
      case DESTINATION_4, DESTINATION_6 -> rule.towards(address);
    };
  }

  private static @Nullable IptablesRule link(IptablesRule rule, MetaKey key, Expression test) {
    if (!(test instanceof Expression.Compare(Register _, Comparison comparison, Bytes value))) {
      return null;
    }
    String padded = new String(value.toByteArray(), UTF_8);
    int end = padded.indexOf('\0');
    if (end <= 0) {
      return null; // A name prefix, as in eth+.
    }
    String name = padded.substring(0, end);
    return switch (key) {
      case IIFNAME -> comparison == Comparison.EQ ? rule.comingBy(name) : null;
      case OIFNAME ->
          switch (comparison) {
            case EQ -> rule.leavingBy(name);
            case NEQ -> rule.notLeavingBy(name);
            default -> null;
          };
      default -> null;
    };
  }
}
