package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.Optional;

/**
 * The decision of a rule or a verdict map about a packet.
 *
 * @param chain the target of a jump or goto, in the same table; empty for the others
 */
public record Verdict(Action action, String chain) implements ElementData {
  static final int CODE = 1;
  static final int CHAIN = 2;

  /** The kinds of verdict; the numbers are the kernel's. */
  public enum Action implements Symbol {
    ACCEPT(1),
    DROP(0),
    CONTINUE(-1),
    JUMP(-3),
    GOTO(-4),
    RETURN(-5);

    private final int number;

    Action(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  public static final Verdict ACCEPT = new Verdict(Action.ACCEPT, "");
  public static final Verdict DROP = new Verdict(Action.DROP, "");
  public static final Verdict CONTINUE = new Verdict(Action.CONTINUE, "");
  public static final Verdict RETURN = new Verdict(Action.RETURN, "");

  public Verdict {
    boolean leadsSomewhere = action == Action.JUMP || action == Action.GOTO;
    if (leadsSomewhere == chain.isEmpty()) {
      throw new IllegalArgumentException(
          "verdict %s needs %s chain".formatted(action.word(), leadsSomewhere ? "a" : "no"));
    }
    NameRules.refuseZeros(chain);
  }

  public static Verdict jump(String chain) {
    return new Verdict(Action.JUMP, chain);
  }

  /** Continues in the chain and does not return to this one. */
  public static Verdict goTo(String chain) {
    return new Verdict(Action.GOTO, chain);
  }

  void write(MessageWriter out) {
    out.be32(CODE, action.number);
    if (!chain.isEmpty()) {
      out.text(CHAIN, chain);
    }
  }

  /** Empty for verdicts that are none of these actions. */
  static Optional<Verdict> read(Attributes attributes) {
    String chain = attributes.text(CHAIN, "");
    return Symbol.find(Action.values(), attributes.be32(CODE, 0))
        .filter(action -> chain.isEmpty() != (action == Action.JUMP || action == Action.GOTO))
        .map(action -> new Verdict(action, chain));
  }

  @Override
  public String toString() {
    return chain.isEmpty() ? action.word() : action.word() + " " + chain;
  }
}
