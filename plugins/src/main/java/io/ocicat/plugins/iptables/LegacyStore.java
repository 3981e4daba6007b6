package io.ocicat.plugins.iptables;

import io.ocicat.cni.CniException;
import io.ocicat.netlink.IpFamily;
import io.ocicat.plugins.net.NetnsSockets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules that iptables keeps in legacy xtables, accessed through its own commands: the kernel's
 * interface replaces tables as a whole and needs the internals of each extension.
 */
record LegacyStore(LegacyCommands commands, String table) implements RuleStore {
  /** An attempt fails only when somebody changed the same rules in between. */
  private static final int ATTEMPTS = 5;

  private static final Pattern RULE = Pattern.compile("-A (\\S+) .*");
  private static final Pattern TARGET = Pattern.compile(".* -[jg] (\\S+)");
  private static final Pattern COMMENT =
      Pattern.compile(".* --comment (?:\"((?:[^\"\\\\]|\\\\.)*)\"|(\\S+)).*");

  /**
   * The store, if the kernel has such a table in use. Without the commands nobody can have created
   * a chain in it.
   */
  static Optional<LegacyStore> of(NetnsSockets host, IpFamily family, String table) {
    return isInUse(host, family, table)
        ? LegacyCommands.find(host, family).map(commands -> new LegacyStore(commands, table))
        : Optional.empty();
  }

  private static boolean isInUse(NetnsSockets host, IpFamily family, String table) {
    // Not /proc/net, which shows the namespace of the process's first thread.
    Path names =
        Path.of(
            "/proc/thread-self/net",
            family == IpFamily.V4 ? "ip_tables_names" : "ip6_tables_names");
    return host.namespace()
        .visit(
            () -> {
              try {
                // Usually it does not exist, and an exception costs more than a check.
                return Files.exists(names) && Files.readAllLines(names).contains(table);
              } catch (IOException e) {
                return false; // A kernel without xtables.
              }
            });
  }

  @Override
  public boolean has(String chain) {
    return has(commands.save(table), chain);
  }

  @Override
  public List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (String line : commands.save(table)) {
      Matcher rule = RULE.matcher(line);
      if (rule.matches()) {
        entries.add(new Entry(rule.group(1), target(line), comment(line)));
      }
    }
    return entries;
  }

  @Override
  public List<PortRule> ports(String entry, Set<Integer> wanted) {
    List<String> saved = commands.save(table);
    Map<String, String> comments = new LinkedHashMap<>();
    for (String line : saved) {
      if (line.startsWith("-A " + entry + " ")) {
        comments.putIfAbsent(target(line), comment(line));
      }
    }
    List<PortRule> ports = new ArrayList<>();
    for (String line : saved) {
      Matcher rule = RULE.matcher(line);
      if (rule.matches() && comments.containsKey(rule.group(1))) {
        String comment = comments.get(rule.group(1));
        PortRule.ofLine(line)
            .filter(port -> wanted.contains(port.port()))
            .map(port -> port.withComment(comment))
            .ifPresent(ports::add);
      }
    }
    return ports;
  }

  @Override
  public void remove(String chain) {
    for (int attempt = 1; ; attempt++) {
      List<String> saved = commands.save(table);
      if (!has(saved, chain)) {
        return;
      }
      List<String> changes = new ArrayList<>();
      for (String line : saved) {
        if (RULE.matcher(line).matches() && target(line).equals(chain)) {
          changes.add("-D" + line.substring(2));
        }
      }
      changes.add("-F " + chain);
      changes.add("-X " + chain);
      try {
        commands.restore(table, changes);
        return;
      } catch (CniException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  static boolean has(List<String> saved, String chain) {
    return saved.stream().anyMatch(line -> line.startsWith(":" + chain + " "));
  }

  static String target(String line) {
    Matcher target = TARGET.matcher(line);
    return target.matches() ? target.group(1) : "";
  }

  static String comment(String line) {
    Matcher comment = COMMENT.matcher(line);
    if (!comment.matches()) {
      return "";
    }
    return comment.group(1) == null
        ? comment.group(2)
        : comment.group(1).replaceAll("\\\\(.)", "$1");
  }
}
