package io.ocicat.plugins.iptables;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Some chains of a table as read, and pending changes to them. Queries answer as if the changes had
 * been made. Not thread-safe.
 */
public final class TableDraft {
  /**
   * A rule at its position.
   *
   * @param handle in nf_tables; 0 where there is none
   * @param rule empty for one that is not of our kind
   * @param note the owner's label; empty when there is none
   */
  record Entry(long handle, Optional<IptablesRule> rule, String note) {
    boolean is(Predicate<IptablesRule> wanted) {
      return rule.filter(wanted).isPresent();
    }
  }

  /** The pending changes, in order. */
  sealed interface Change {
    record NewChain(String chain) implements Change {}

    /** At the beginning of the chain. */
    record Insert(String chain, IptablesRule rule) implements Change {}

    /** At the end of the chain. */
    record Append(String chain, IptablesRule rule, String note) implements Change {}

    /** The rule stays at its position, with another note. */
    record Note(String chain, long handle, IptablesRule rule, String note) implements Change {}

    record Delete(String chain, long handle, IptablesRule rule) implements Change {}
  }

  private final Map<String, List<Entry>> chains = new LinkedHashMap<>();
  private final List<Change> changes = new ArrayList<>();

  /** Adds a chain that exists. */
  void present(String chain, List<Entry> entries) {
    chains.put(chain, new ArrayList<>(entries));
  }

  List<Change> changes() {
    return changes;
  }

  /** Creates the chain unless it exists. */
  public void ensureChain(String chain) {
    if (!chains.containsKey(chain)) {
      chains.put(chain, new ArrayList<>());
      changes.add(new Change.NewChain(chain));
    }
  }

  /** The rules of our kind, in order; none when the chain does not exist. */
  public List<IptablesRule> rules(String chain) {
    return entries(chain).stream().flatMap(entry -> entry.rule().stream()).toList();
  }

  /** The rules of our kind that have a note, with it. */
  public Map<IptablesRule, String> notes(String chain) {
    Map<IptablesRule, String> notes = new LinkedHashMap<>();
    for (Entry entry : entries(chain)) {
      if (!entry.note().isEmpty()) {
        entry.rule().ifPresent(rule -> notes.put(rule, entry.note()));
      }
    }
    return notes;
  }

  public boolean has(String chain, IptablesRule rule) {
    return entries(chain).stream().anyMatch(entry -> entry.is(rule::equals));
  }

  /** Adds the rule at the beginning of the chain, unless the chain contains it. */
  public void ensureFirst(String chain, IptablesRule rule) {
    if (!has(chain, rule)) {
      insert(chain, rule);
    }
  }

  /** Adds the rule at the beginning of the chain. */
  public void insert(String chain, IptablesRule rule) {
    entries(chain).addFirst(new Entry(0, Optional.of(rule), ""));
    changes.add(new Change.Insert(chain, rule));
  }

  /** Adds the rule at the end of the chain. */
  public void append(String chain, IptablesRule rule) {
    append(chain, rule, "");
  }

  private void append(String chain, IptablesRule rule, String note) {
    entries(chain).addLast(new Entry(0, Optional.of(rule), note));
    changes.add(new Change.Append(chain, rule, note));
  }

  /** Adds the rule with this note at the end of the chain, unless the chain contains it. */
  public void ensure(String chain, IptablesRule rule, String note) {
    List<Entry> entries = entries(chain);
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (entry.is(rule::equals)) {
        if (!entry.note().equals(note)) {
          entries.set(i, new Entry(entry.handle(), entry.rule(), note));
          changes.add(new Change.Note(chain, entry.handle(), rule, note));
        }
        return;
      }
    }
    append(chain, rule, note);
  }

  /** Removes all equal rules that were in the chain when it was read. */
  public void remove(String chain, Predicate<IptablesRule> unwanted) {
    List<Entry> going = entries(chain).stream().filter(entry -> entry.is(unwanted)).toList();
    for (Entry entry : going) {
      changes.add(new Change.Delete(chain, entry.handle(), entry.rule().orElseThrow()));
    }
    if (!going.isEmpty()) {
      entries(chain).removeAll(going);
    }
  }

  private List<Entry> entries(String chain) {
    return chains.getOrDefault(chain, List.of());
  }
}
