package io.ocicat.conformance.report;

import io.ocicat.base.Quoted;
import io.ocicat.conformance.subject.ConformanceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that plugins are known to fail, each with the reason, one per line:
 *
 * <pre>
 * # For all plugins:
 * version.echo            the library answers with its own version
 * # For some:
 * bridge, ptp: del.netns-is-a-file   only a missing path counts as gone
 * # Not at every run, so that passing is expected, too:
 * bridge: del.after-killed-add?      depends on the moment
 * </pre>
 */
public final class Deviations {
  public static final Deviations NONE = new Deviations(List.of());

  private static final Pattern LINE =
      Pattern.compile(
          "(?:(?<plugins>[^\\s:]+(?:\\s*,\\s*[^\\s:]+)*)\\s*:\\s+)?(?<id>[^\\s?]+)(?<sometimes>\\??)\\s+(?<why>\\S.*)");

  /**
   * A check that some plugins fail.
   *
   * @param plugins empty for all
   * @param sometimes whether they do not always fail it
   */
  public record Deviation(Set<String> plugins, String check, boolean sometimes, String why) {
    public Deviation {
      plugins = Set.copyOf(plugins);
    }
  }

  private final List<Deviation> all;

  private Deviations(List<Deviation> all) {
    this.all = List.copyOf(all);
  }

  /**
   * Reads a list.
   *
   * @param known the ids of all checks: a list that names others is out of date
   * @throws ConformanceException that names the line
   */
  public static Deviations parse(String text, Set<String> known) {
    List<Deviation> all = new ArrayList<>();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        all.add(parse(line, i + 1, known));
      }
    }
    return new Deviations(all);
  }

  private static Deviation parse(String line, int number, Set<String> known) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw refuse(
          number, "wants \"[plugin, plugin:] check[?] reason\", not " + Quoted.brief(line));
    }
    String check = parts.group("id");
    if (!known.contains(check)) {
      throw refuse(number, "there is no check " + Quoted.brief(check));
    }
    String plugins = parts.group("plugins");
    Set<String> named = plugins == null ? Set.of() : Set.of(plugins.split("\\s*,\\s*", -1));
    return new Deviation(named, check, !parts.group("sometimes").isEmpty(), parts.group("why"));
  }

  private static ConformanceException refuse(int number, String why) {
    return new ConformanceException("line %d of the deviations: %s".formatted(number, why));
  }

  /** What is known about a plugin and a check. */
  public Optional<Deviation> find(String plugin, String check) {
    return all.stream()
        .filter(deviation -> deviation.check.equals(check))
        .filter(deviation -> deviation.plugins.isEmpty() || deviation.plugins.contains(plugin))
        .findFirst();
  }
}
