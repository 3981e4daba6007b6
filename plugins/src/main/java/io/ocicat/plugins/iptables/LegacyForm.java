package io.ocicat.plugins.iptables;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Formats and parses rules in the syntax of iptables-save and iptables-restore. */
final class LegacyForm {
  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|(\\S+)");
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.:/-]+");

  private LegacyForm() {}

  /** The part after {@code -A} and the name of the chain. */
  static String write(IptablesRule rule) {
    List<String> words = new ArrayList<>();
    if (rule.source() != null) {
      words.add("-s " + single(rule.source()));
    }
    if (rule.destination() != null) {
      words.add("-d " + single(rule.destination()));
    }
    if (!rule.in().isEmpty()) {
      words.add("-i " + quoted(rule.in()));
    }
    if (!rule.out().isEmpty()) {
      words.add((rule.notOut() ? "! -o " : "-o ") + quoted(rule.out()));
    }
    if (rule.known()) {
      words.add("-m conntrack --ctstate RELATED,ESTABLISHED");
    }
    if (!rule.comment().isEmpty()) {
      words.add("-m comment --comment " + quoted(rule.comment()));
    }
    words.add("-j " + quoted(rule.target()));
    return String.join(" ", words);
  }

  private static IpPrefix single(IpAddress address) {
    return IpPrefix.of(address, address.bitLength());
  }

  private static String quoted(String text) {
    return PLAIN.matcher(text).matches()
        ? text
        : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Empty for a rule with parts that ours never have. */
  static Optional<IptablesRule> read(String text) {
    IptablesRule rule = IptablesRule.to("");
    Iterator<String> words = words(text).iterator();
    while (words.hasNext()) {
      IptablesRule narrowed = narrow(rule, words.next(), words);
      if (narrowed == null) {
        return Optional.empty();
      }
      rule = narrowed;
    }
    return rule.target().isEmpty() ? Optional.empty() : Optional.of(rule);
  }

  private static @Nullable IptablesRule narrow(
      IptablesRule rule, String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      return null;
    }
    String value = rest.next();
    return switch (option) {
      case "-s" -> alone(value).map(rule::from).orElse(null);
      case "-d" -> alone(value).map(rule::towards).orElse(null);
      case "-i" -> isPattern(value) ? null : rule.comingBy(value);
      case "-o" -> isPattern(value) ? null : rule.leavingBy(value);
      case "!" -> value.equals("-o") && rest.hasNext() ? notLeavingBy(rule, rest.next()) : null;
      case "-m" -> value.equals("conntrack") || value.equals("comment") ? rule : null;
      case "--ctstate" -> value.equals("RELATED,ESTABLISHED") ? rule.ofKnownConnections() : null;
      case "--comment" -> rule.commented(value);
      case "-j" -> rule.then(value);
      default -> null;
    };
  }

  private static @Nullable IptablesRule notLeavingBy(IptablesRule rule, String link) {
    return isPattern(link) ? null : rule.notLeavingBy(link);
  }

  /** A name prefix, as in eth+. */
  private static boolean isPattern(String link) {
    return link.endsWith("+");
  }

  private static Optional<IpAddress> alone(String text) {
    return IpPrefix.tryParse(text)
        .filter(prefix -> prefix.length() == prefix.address().bitLength())
        .map(IpPrefix::address);
  }

  static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      words.add(word.group(1) == null ? word.group(2) : word.group(1).replaceAll("\\\\(.)", "$1"));
    }
    return words;
  }
}
