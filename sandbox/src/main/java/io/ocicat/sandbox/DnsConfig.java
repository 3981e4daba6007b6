package io.ocicat.sandbox;

import java.util.List;

/** A pod's DNS settings. */
public record DnsConfig(List<String> servers, List<String> searches, List<String> options) {
  public DnsConfig {
    servers = List.copyOf(servers);
    searches = List.copyOf(searches);
    options = List.copyOf(options);
  }

  public boolean isEmpty() {
    return servers.isEmpty() && searches.isEmpty() && options.isEmpty();
  }

  void check(List<String> problems) {
    for (List<String> words : List.of(servers, searches, options)) {
      for (String word : words) {
        if (word.isEmpty() || word.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
          problems.add(
              "dns has \"%s\", which is not a word: a line of resolv.conf would be another"
                  .formatted(word.strip()));
        }
      }
    }
  }

  /** Returns the text of a resolv.conf, sections in dockershim's order; absent ones are omitted. */
  public String resolvConf() {
    StringBuilder text = new StringBuilder();
    servers.forEach(server -> text.append("nameserver ").append(server).append('\n'));
    line(text, "search", searches);
    line(text, "options", options);
    return text.toString();
  }

  private static void line(StringBuilder text, String keyword, List<String> words) {
    if (!words.isEmpty()) {
      text.append(keyword).append(' ').append(String.join(" ", words)).append('\n');
    }
  }
}
