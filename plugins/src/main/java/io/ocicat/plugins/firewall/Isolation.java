package io.ocicat.plugins.firewall;

import io.ocicat.plugins.iptables.IptablesRule;
import io.ocicat.plugins.iptables.NftTable;
import io.ocicat.plugins.iptables.TableDraft;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The rules that isolate the containers on a bridge from those on other such bridges and, with
 * {@code within}, also from each other. What leaves a bridge goes from the first stage to the
 * second, and is dropped there if it would enter another such bridge. The rules belong to the
 * bridge, for all its containers.
 *
 * <p>The Go plugin has changed its comments over time, so rules are compared without them.
 */
record Isolation(String bridge, boolean within) {
  static final String STAGE_1 = "CNI-ISOLATION-STAGE-1";
  static final String STAGE_2 = "CNI-ISOLATION-STAGE-2";

  private static final String COMMENT = "CNI firewall plugin rules (ingressPolicy: ";
  private static final IptablesRule ENTRY = shared(IptablesRule.to(STAGE_1));
  private static final IptablesRule END = shared(IptablesRule.to(IptablesRule.RETURN));

  void install(TableDraft table) {
    List.of(NftTable.FORWARD, STAGE_1, STAGE_2).forEach(table::ensureChain);
    if (!isEntryInPlace(table)) {
      table.remove(NftTable.FORWARD, rule -> isSame(rule, ENTRY));
      table.insert(NftTable.FORWARD, ENTRY);
    }
    ensure(table, STAGE_1, leaving());
    if (within) {
      ensure(table, STAGE_1, staying());
    }
    ensureLast(table, STAGE_1);
    ensure(table, STAGE_2, entering());
    ensureLast(table, STAGE_2);
  }

  /** A missing or misplaced rule, as iptables prints it. */
  Optional<String> missing(TableDraft table) {
    if (!isEntryInPlace(table)) {
      return Optional.of("-A %s %s".formatted(NftTable.FORWARD, ENTRY));
    }
    if (!has(table, STAGE_1, leaving())) {
      return Optional.of("-A %s %s".formatted(STAGE_1, leaving()));
    }
    if (within && !has(table, STAGE_1, staying())) {
      return Optional.of("-A %s %s".formatted(STAGE_1, staying()));
    }
    return has(table, STAGE_2, entering())
        ? Optional.empty()
        : Optional.of("-A %s %s".formatted(STAGE_2, entering()));
  }

  /** Removes the rules of bridges that no longer exist. */
  static void collect(TableDraft table, Predicate<String> isThere) {
    for (String stage : List.of(STAGE_1, STAGE_2)) {
      table.remove(
          stage,
          rule -> {
            String name = rule.out();
            return rule.comment().startsWith(COMMENT) && !name.isEmpty() && !isThere.test(name);
          });
    }
  }

  /** After an accepting rule it would isolate nothing. */
  private static boolean isEntryInPlace(TableDraft table) {
    for (IptablesRule rule : table.rules(NftTable.FORWARD)) {
      if (isSame(rule, ENTRY)) {
        return true;
      }
      if (rule.equals(AcceptRules.ENTRY)) {
        return false;
      }
    }
    return false;
  }

  private IptablesRule leaving() {
    return IptablesRule.to(STAGE_2)
        .comingBy(bridge)
        .notLeavingBy(bridge)
        .commented(COMMENT + (within ? "isolated)" : "same-bridge)"));
  }

  private IptablesRule staying() {
    return IptablesRule.to(IptablesRule.DROP)
        .comingBy(bridge)
        .leavingBy(bridge)
        .commented(COMMENT + "isolated)");
  }

  private IptablesRule entering() {
    return shared(IptablesRule.to(IptablesRule.DROP).leavingBy(bridge));
  }

  private static IptablesRule shared(IptablesRule rule) {
    return rule.commented(COMMENT + "same-bridge|isolated)");
  }

  private static void ensure(TableDraft table, String chain, IptablesRule rule) {
    if (!has(table, chain, rule)) {
      table.insert(chain, rule);
    }
  }

  private static void ensureLast(TableDraft table, String chain) {
    if (!has(table, chain, END)) {
      table.append(chain, END);
    }
  }

  private static boolean has(TableDraft table, String chain, IptablesRule rule) {
    return table.rules(chain).stream().anyMatch(other -> isSame(other, rule));
  }

  private static boolean isSame(IptablesRule one, IptablesRule other) {
    return one.commented("").equals(other.commented(""));
  }
}
