package io.ocicat.plugins.iptables;

import io.ocicat.cni.CniException;
import io.ocicat.netlink.IpFamily;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The {@code filter} table in legacy xtables, accessed through the iptables command. Its rules
 * cannot have notes.
 */
public final class LegacyTable {
  private static final String NAME = "filter";

  /** An attempt fails only when somebody changed the same rules in between. */
  private static final int ATTEMPTS = 5;

  private final LegacyCommands commands;

  private LegacyTable(LegacyCommands commands) {
    this.commands = commands;
  }

  /** The table, if it is in use on the host. */
  public static Optional<LegacyTable> of(NetnsSockets host, IpFamily family) {
    return LegacyStore.of(host, family, NAME).map(store -> new LegacyTable(store.commands()));
  }

  /** The current rules of these chains. */
  public TableDraft read(Collection<String> chains) {
    List<String> saved = commands.save(NAME);
    TableDraft draft = new TableDraft();
    for (String chain : chains) {
      if (LegacyStore.has(saved, chain)) {
        String start = "-A " + chain + " ";
        draft.present(
            chain,
            saved.stream()
                .filter(line -> line.startsWith(start))
                .map(line -> LegacyForm.read(line.substring(start.length())))
                .map(rule -> new TableDraft.Entry(0, rule, ""))
                .toList());
      }
    }
    return draft;
  }

  /**
   * Changes these chains.
   *
   * @param plan may be called several times
   */
  public void change(Collection<String> chains, Consumer<TableDraft> plan) {
    for (int attempt = 1; ; attempt++) {
      TableDraft draft = read(chains);
      plan.accept(draft);
      List<String> changes = changes(draft);
      if (changes.isEmpty()) {
        return;
      }
      try {
        commands.restore(NAME, changes);
        return;
      } catch (CniException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static List<String> changes(TableDraft draft) {
    List<String> commands = new ArrayList<>();
    for (TableDraft.Change change : draft.changes()) {
      switch (change) {
        case TableDraft.Change.NewChain(String chain) -> commands.add("-N " + chain);
        case TableDraft.Change.Insert(String chain, IptablesRule rule) ->
            commands.add("-I %s 1 %s".formatted(chain, rule));
        case TableDraft.Change.Append(String chain, IptablesRule rule, String _) ->
            commands.add("-A %s %s".formatted(chain, rule));
        case TableDraft.Change.Delete(String chain, long _, IptablesRule rule) ->
            commands.add("-D %s %s".formatted(chain, rule));
        case TableDraft.Change.Note _ -> {} // xtables has no place for notes.
      }
    }
    return commands;
  }
}
