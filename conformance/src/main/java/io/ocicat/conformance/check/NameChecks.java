package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Quoted;
import io.ocicat.conformance.lab.RawValue;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks which names of containers, interfaces and networks are accepted: these become paths and
 * commands.
 */
final class NameChecks {
  private static final int INVALID_ENVIRONMENT = 4;
  private static final int INVALID_CONFIG = 7;
  private static final String SPEC_ID = "spec 2, parameters";
  private static final String SPEC_NAME = "spec 1, configuration keys";

  private record Row(String what, String words, RawValue value) {
    static Row of(String what, String text) {
      return new Row(what, Quoted.of(text), RawValue.of(text));
    }
  }

  private static final List<Row> BAD_IDS =
      List.of(
          Row.of("traversal", "../../../tmp/escaped"),
          Row.of("slash", "a/b"),
          Row.of("blank", "a b"),
          Row.of("line-break", "abc\ndef"),
          Row.of("final-line-break", "abc\n"),
          Row.of("leading-dot", ".abc"),
          Row.of("leading-dash", "-rf"),
          Row.of("umlaut", "käfig"),
          new Row("bad-utf-8", "that is not UTF-8", RawValue.of("a").thenRaw("\u00ff\u00fe")));

  private static final List<Row> BAD_INTERFACES =
      List.of(
          Row.of("dot-only", "."),
          Row.of("two-dots-only", ".."),
          Row.of("slash", "eth/0"),
          Row.of("colon", "eth:0"),
          Row.of("blank", "eth 0"),
          Row.of("tab", "eth\t0"),
          Row.of("line-break", "eth\n0"),
          Row.of("16-letters", "eth0123456789abc"),
          Row.of("16-bytes", "éééééééé"));

  private static final List<Row> BAD_NETWORKS =
      List.of(
          Row.of("traversal", "../../../tmp/escaped"),
          Row.of("slash", "a/b"),
          Row.of("blank", "a b"),
          Row.of("line-break", "abc\ndef"),
          Row.of("leading-dot", ".abc"),
          Row.of("leading-dash", "-abc"));

  private static final List<String> GOOD_NAMES = List.of("a", "0", "a..b", "a-", "A_b.c-D");

  private static final List<String> GOOD_INTERFACES =
      List.of("a", "eth0.100", "eth0123456789ab", "@-_.");

  private NameChecks() {}

  static List<ConformanceCheck> all() {
    List<ConformanceCheck> all = new ArrayList<>();
    BAD_IDS.forEach(row -> all.add(badVariable("container-id", "CNI_CONTAINERID", row)));
    BAD_INTERFACES.forEach(row -> all.add(badVariable("interface", "CNI_IFNAME", row)));
    BAD_NETWORKS.forEach(row -> all.add(badNetwork(row)));
    // DEL of what was never added has to succeed, so it shows what is accepted.
    all.add(goodVariables("good-container-ids", "container id", "CNI_CONTAINERID", GOOD_NAMES));
    all.add(goodVariables("good-interfaces", "interface name", "CNI_IFNAME", GOOD_INTERFACES));
    all.add(
        must(
            "names.good-networks",
            "accepts every network name that the rules allow",
            SPEC_NAME,
            lab ->
                GOOD_NAMES.forEach(
                    name -> lab.run(lab.call("DEL", lab.config().put("name", name))).succeeds())));
    return all;
  }

  private static ConformanceCheck badVariable(String subject, String variable, Row row) {
    return must(
        "names.%s-with-%s".formatted(subject, row.what),
        "refuses a %s %s, with code 4".formatted(variable, row.words),
        SPEC_ID,
        lab -> lab.run(lab.call("ADD").with(variable, row.value)).failsWith(INVALID_ENVIRONMENT));
  }

  private static ConformanceCheck badNetwork(Row row) {
    String name = new String(row.value.bytes(), UTF_8);
    return must(
        "names.network-with-" + row.what,
        "refuses a network called %s, with code 7".formatted(row.words),
        SPEC_NAME,
        lab -> lab.run(lab.call("ADD", lab.config().put("name", name))).failsWith(INVALID_CONFIG));
  }

  private static ConformanceCheck goodVariables(
      String id, String subject, String variable, List<String> values) {
    return must(
        "names." + id,
        "accepts every %s that the rules allow".formatted(subject),
        SPEC_ID,
        lab -> values.forEach(value -> lab.run(lab.call("DEL").with(variable, value)).succeeds()));
  }
}
