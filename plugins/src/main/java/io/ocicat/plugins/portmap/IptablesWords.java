package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.portmap.ConditionWords.refuse;

import io.ocicat.base.Quoted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Translates conditions from iptables options to nft's language, as far as {@link ConditionParser}
 * supports it: sources, destinations, the incoming interface, the protocol, ports and marks, each
 * with or without a preceding {@code !}.
 */
final class IptablesWords {
  private final FamilySets family;
  private final Deque<String> words = new ArrayDeque<>();
  private final List<String> translated = new ArrayList<>();
  private String module = "";

  private IptablesWords(FamilySets family, List<String> tokens) {
    this.family = family;
    tokens.forEach(token -> words.addAll(List.of(token.strip().split("\\s+"))));
  }

  /**
   * Translates.
   *
   * @throws IllegalArgumentException naming the word that has no translation
   */
  static List<String> toNft(FamilySets family, List<String> tokens) {
    IptablesWords all = new IptablesWords(family, tokens);
    while (!all.words.isEmpty()) {
      all.match();
    }
    return all.translated;
  }

  private void match() {
    boolean not = words.peek().equals("!");
    if (not) {
      words.remove();
    }
    String option = next("an option");
    String ip = family == FamilySets.V4 ? "ip" : "ip6";
    switch (option) {
      case "-s", "--source", "--src" -> say(not, ip + " saddr", list(value(option)));
      case "-d", "--destination", "--dst" -> say(not, ip + " daddr", list(value(option)));
      case "--src-range" -> say(not, ip + " saddr", value(option));
      case "--dst-range" -> say(not, ip + " daddr", value(option));
      case "-i", "--in-interface" ->
          say(not, "iifname", "\"%s\"".formatted(value(option).replaceFirst("\\+$", "*")));
      case "-p", "--protocol" -> say(not, "meta l4proto", value(option));
      case "--sport", "--source-port", "--sports", "--source-ports" ->
          say(not, "th sport", list(value(option).replace(':', '-')));
      case "--dport", "--destination-port", "--dports", "--destination-ports" ->
          say(not, "th dport", list(value(option).replace(':', '-')));
      case "--mark" -> mark(not, value(option));
      case "--comment" -> value(option);
      case "-m", "--match" -> module = value(option);
      default ->
          throw refuse(
              "%s of iptables has no translation: there are -s, -d, -i, -p, --sport, --dport, --mark, --src-range and --dst-range; or write them as nft does, for instance \"ip saddr != 192.0.2.0/24\""
                  .formatted(Quoted.brief(option)));
    }
  }

  private void mark(boolean not, String value) {
    String field = module.equals("connmark") ? "ct mark" : "meta mark";
    int slash = value.indexOf('/');
    if (slash < 0) {
      say(not, field, value);
    } else {
      say(not, field + " & " + value.substring(slash + 1), value.substring(0, slash));
    }
  }

  private void say(boolean not, String field, String value) {
    translated.add(field + (not ? " != " : " == ") + value);
  }

  /** Several values become a set. */
  private static String list(String values) {
    return values.contains(",") ? "{ " + values.replace(",", ", ") + " }" : values;
  }

  private String value(String option) {
    String value = next("the value of " + option);
    if (value.equals("!")) {
      throw refuse("! follows %s: put it before".formatted(option));
    }
    return value;
  }

  private String next(String expected) {
    if (words.isEmpty()) {
      throw refuse("they end where %s is expected".formatted(expected));
    }
    return words.remove();
  }
}
