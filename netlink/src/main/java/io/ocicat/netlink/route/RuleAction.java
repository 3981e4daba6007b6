package io.ocicat.netlink.route;

import java.util.Locale;

/** What a routing rule does with the packets it selects (linux/fib_rules.h, FR_ACT_…). */
public sealed interface RuleAction {
  /** Not set, which is only possible for a rule to be deleted: matches any. */
  record Unsaid() implements RuleAction {}

  /**
   * Looks up a table; if that has no route, the next rule follows.
   *
   * @param table any unsigned 32-bit number but 0
   */
  record Lookup(int table) implements RuleAction {
    static final int NUMBER = 1;

    public Lookup {
      if (table == 0) {
        throw new IllegalArgumentException(
            "a rule cannot look up table 0: that number stands for none");
      }
    }

    @Override
    public String toString() {
      return "lookup " + RouteTable.name(table);
    }
  }

  /** Continues with the rule of this priority, which must come later. */
  record GoTo(long priority) implements RuleAction {
    static final int NUMBER = 2;

    public GoTo {
      Unsigned.check32("a rule's priority", priority);
    }

    @Override
    public String toString() {
      return "goto " + priority;
    }
  }

  /** The actions without a table. */
  enum Answer implements RuleAction {
    /** The next rule follows. */
    NOP(3),
    /** Silently dropped. */
    BLACKHOLE(6),
    /** Rejected with "network unreachable". */
    UNREACHABLE(7),
    /** Rejected with "administratively prohibited". */
    PROHIBIT(8);

    private final int number;

    Answer(int number) {
      this.number = number;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** An unknown action. */
  record Other(int number) implements RuleAction {
    @Override
    public String toString() {
      return "action " + number;
    }
  }

  /** The kernel's number of the kind of action. */
  default int kind() {
    return switch (this) {
      case Unsaid _ -> 0;
      case Lookup _ -> Lookup.NUMBER;
      case GoTo _ -> GoTo.NUMBER;
      case Answer answer -> answer.number;
      case Other other -> other.number();
    };
  }
}
