package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.matrix.PolicyWorld;
import io.ocicat.agent.matrix.Stored;
import io.ocicat.agent.matrix.TruthTable;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.testkit.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Policies that no component would accept, written into the datastore behind its back: they close
 * what they may have meant to close, one line names them, and nothing else is affected.
 */
class BadPolicyTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final boolean LONGER = Integer.getInteger("ocicat.longer", 0) > 0;
  private static final long SEED = Long.getLong("ocicat.seed", System.nanoTime());
  private static final int SAMPLE = 6;
  private static final String NO_LINE = "no line";

  /**
   * A bad document and what it must mean.
   *
   * @param text as stored
   * @param meaning a policy with the same effect
   * @param named what the line about it must name
   */
  private record Bad(ResourceKey key, String text, Resource meaning, String named) {
    static Bad rule(String rule, String meaning, String named) {
      return spec(
          "{\"selector\":\"pod == 'a'\",\"types\":[\"Ingress\"],\"ingress\":[%s]}".formatted(rule),
          "{selector: pod == 'a', types: [Ingress], ingress: [%s]}".formatted(meaning),
          named);
    }

    static Bad spec(String spec, String meaning, String named) {
      return of(Stored.calico("x", "bad", meaning), spec, named);
    }

    static Bad kubernetes(String spec, String meaning, String named) {
      return of(Stored.kubernetes("x", "bad", meaning), spec, named);
    }

    private static Bad of(Resource meaning, String spec, String named) {
      String text =
          Json.compact(meaning.content())
              .replaceFirst(
                  "\"spec\":\\{.*", "\"spec\":%s}".formatted(Matcher.quoteReplacement(spec)));
      return new Bad(meaning.key(), text, meaning, named);
    }
  }

  @TempDir Path folder;

  private static List<Bad> bad() {
    String closed = "{action: Deny}";
    return Stream.of(
            // Rules: a bad Allow matches nothing, a bad Deny everything.
            Bad.rule("{\"action\":\"Allow\",\"destination\":{\"ports\":[80]}}", "", "ports"),
            Bad.rule(
                "{\"action\":\"Allow\",\"protocol\":\"TCP\",\"icmp\":{\"type\":8}}", "", "icmp"),
            Bad.rule(
                "{\"action\":\"Allow\",\"protocol\":\"ICMP\",\"icmp\":{\"type\":255}}", "", "icmp"),
            Bad.rule(
                "{\"action\":\"Allow\",\"protocol\":\"ICMP\",\"icmp\":{\"code\":3}}", "", "icmp"),
            Bad.rule(
                "{\"action\":\"Allow\",\"ipVersion\":6,\"source\":{\"nets\":[\"10.65.0.0/16\"]}}",
                "",
                "ipVersion"),
            Bad.rule("{\"action\":\"Allow\",\"source\":{\"selector\":\"((\"}}", "", "selector"),
            Bad.rule(
                "{\"action\":\"Deny\",\"source\":{\"selector\":\"pod = 'b'\"}},{\"action\":\"Allow\"}",
                closed,
                "selector"),
            Bad.rule(
                "{\"action\":\"Deny\",\"source\":{\"nets\":[\"10.65.0.0/99\"]}},{\"action\":\"Allow\"}",
                closed,
                "nets"),
            Bad.rule(
                "{\"action\":\"Allow\",\"source\":{\"nets\":[\"10.65.1.0/24\",\"no net\"]}}",
                "",
                "nets"),
            Bad.rule(
                "{\"action\":\"Allow\",\"protocol\":\"TCP\",\"destination\":{\"ports\":[\"90:80\"]}}",
                "",
                "ports"),
            Bad.rule(
                "{\"action\":\"Allow\",\"protocol\":\"TCP\",\"destination\":{\"ports\":[70000]}}",
                "",
                "ports"),
            Bad.rule("{\"action\":\"Allow\",\"protocol\":\"QUIC\"}", "", "protocol"),
            Bad.rule("{\"action\":\"Permit\"}", closed, "action"),
            Bad.rule("{\"action\":7},{\"action\":\"Allow\"}", closed, "action"),
            Bad.rule("\"Allow\"", closed, "ingress"),
            // Policies: what they select is not known, so it is all that they could, the same way.
            Bad.spec(
                "{\"selector\":\"pod == \",\"types\":[\"Ingress\"],\"ingress\":[{\"action\":\"Allow\"}]}",
                "{types: [Ingress], ingress: [{action: Deny}]}",
                "selector"),
            Bad.kubernetes(
                """
                {"podSelector":{"matchLabels":{"pod":"a"}},"policyTypes":["Ingress"],
                 "ingress":[{"from":[{"ipBlock":{"cidr":"10.65.1.0/240"}}]}]}
                """
                    .replace("\n", ""),
                "{podSelector: {matchLabels: {pod: a}}, policyTypes: [Ingress]}",
                "cidr"),
            Bad.kubernetes(
                """
                {"podSelector":{"matchLabels":{"pod":"a"}},"policyTypes":["Ingress"],
                 "ingress":[{"from":[{"ipBlock":{"cidr":"10.65.1.0/24","except":["no"]}}]}]}
                """
                    .replace("\n", ""),
                "{podSelector: {matchLabels: {pod: a}}, policyTypes: [Ingress]}",
                "except"),
            Bad.kubernetes(
                """
                {"podSelector":{"matchLabels":{"pod":"a"}},"policyTypes":["Ingress"],
                 "ingress":[{"from":[{}]}]}
                """
                    .replace("\n", ""),
                "{podSelector: {matchLabels: {pod: a}}, policyTypes: [Ingress]}",
                "from"),
            new Bad(
                ResourceKey.of(Kind.NETWORK_POLICY, "x", "bad"),
                "{\"kind\":",
                Stored.calico(
                    "x",
                    "bad",
                    "{types: [Ingress, Egress], ingress: [{action: Deny}], egress: [{action: Deny}]}"),
                ""),
            tenThousandPorts())
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** More than anybody would write, and not wrong. */
  private static Bad tenThousandPorts() {
    String ports =
        IntStream.rangeClosed(1, 10_000)
            .mapToObj(i -> Integer.toString(2 * i - 1))
            .collect(Collectors.joining(","));
    String spec =
        "{\"types\":[\"Ingress\"],\"ingress\":[{\"action\":\"Allow\",\"protocol\":\"TCP\",\"destination\":{\"ports\":[%s]}}]}"
            .formatted(ports);
    return Bad.spec(spec, spec, NO_LINE);
  }

  /** Selectors of any bytes. */
  private static List<Bad> garbage(Random random, int count) {
    List<Bad> all = new ArrayList<>();
    while (all.size() < count) {
      String text =
          random
              .ints(1 + random.nextInt(40), 0x20, random.nextBoolean() ? 0x7f : 0x2fff)
              .filter(Character::isDefined)
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
      if (!isSelector(text)) {
        all.add(
            Bad.rule(
                "{\"action\":\"Deny\",\"source\":{\"selector\":%s}},{\"action\":\"Allow\"}"
                    .formatted(Json.compact(Json.array(List.of(text)).get(0))),
                "{action: Deny}",
                "selector"));
      }
    }
    return all;
  }

  private static boolean isSelector(String text) {
    try {
      Selector.parse(text);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  @Test
  void badPoliciesFailClosedAndAreNamed() {
    Random random = new Random(SEED);
    List<Bad> all = bad();
    all.addAll(garbage(random, LONGER ? 40 : 2));
    if (!LONGER) {
      Collections.shuffle(all, random);
      all = all.subList(0, SAMPLE);
    }
    List<String> failures = new ArrayList<>();
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
        PolicyWorld world = new PolicyWorld(cluster.datastore());
        TestAgent one = agent(world, cluster, 1);
        TestAgent _ = agent(world, cluster, 2)) {
      KeyValueStore store = ((KeyValueDatastore) cluster.datastore()).store();
      TruthTable table = new TruthTable(world, true);
      table.await("before");
      for (Bad bad : all) {
        String path = CalicoLayout.path(bad.key());
        store.commit(Transaction.put(path, bad.text()));
        table.read(bad.meaning());
        try {
          table.await(bad.text());
          Eventually.passes(LIMIT, () -> assertNamed(bad, one.status().problems()));
        } catch (AssertionError e) {
          failures.add(String.valueOf(e.getMessage()));
        }
        store.commit(Transaction.delete(path));
        table.read();
      }
      try {
        table.await("after");
        Eventually.passes(LIMIT, () -> assertThat(one.status().problems()).isEmpty());
      } catch (AssertionError e) {
        failures.add(String.valueOf(e.getMessage()));
      }
    }
    assertThat(failures).as("seed %d", SEED).isEmpty();
  }

  private static void assertNamed(Bad bad, List<String> problems) {
    if (bad.named().equals(NO_LINE)) {
      assertThat(problems).isEmpty();
    } else {
      assertThat(problems).as(bad.text()).hasSize(1);
      assertThat(problems.getFirst()).contains("bad", bad.named()).doesNotContain("\n");
    }
  }

  private TestAgent agent(PolicyWorld world, TestCluster cluster, int number) {
    return new TestAgent(
        world.node(number),
        cluster.datastore(),
        "node" + number,
        folder.resolve("" + number),
        Map.of("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"));
  }
}
