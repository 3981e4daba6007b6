package io.ocicat.datastore.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorTest {
  private static final Map<String, String> LABELS =
      Map.of("role", "db", "env", "prod-eu", "tier", "", "in", "x", "a.b/c-d_e", "1");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "all()",
        "all( )",
        "global()",
        "role == 'db'",
        "role==\"db\"",
        "role != 'web'",
        "absent != 'web'",
        "has(role)",
        "has( role )",
        "has(tier)",
        "!has(absent)",
        "!!has(role)",
        "! ! has(role)",
        "env contains 'od-'",
        "env starts with 'prod'",
        "env startswith 'prod'",
        "env ends with 'eu'",
        "role in {'web', 'db'}",
        "role in {'db',}",
        "role not in {'web'}",
        "role notin {'web'}",
        "role not in {}",
        "absent not in {'web'}",
        "in in {'x'}",
        "in == 'x'",
        "a.b/c-d_e == '1'",
        "has(role) && has(env)",
        "has(absent) || has(env)",
        "has(env) || has(absent) && has(absent)",
        "(has(absent) || has(env)) && role == 'db'",
        "!(role == 'web' || role == 'cache')",
        "\thas(role)\t",
      })
  void matches(String selector) {
    assertThat(Selector.parse(selector).matches(LABELS)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "role == 'web'",
        "absent == ''",
        "role != 'db'",
        "has(absent)",
        "!has(role)",
        "!!has(absent)",
        "!all()",
        "env contains 'us'",
        "absent contains ''",
        "env starts with 'eu'",
        "env ends with 'prod'",
        "role in {}",
        "role in {'web'}",
        "absent in {''}",
        "role not in {'db'}",
        "has(role) && has(absent)",
        "(has(role) || has(env)) && has(absent)",
      })
  void doesNotMatch(String selector) {
    assertThat(Selector.parse(selector).matches(LABELS)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          role = 'db' ; ==, !=, in ; 6
          role ; ==, !=, in ; 5
          role == db ; text in quotes ; 9
          role == 'db ; no closing ; 9
          has(role ; expected ) ; 9
          has() ; expected a label ; 5
          all( ; expected ) ; 5
          role in 'db' ; expected { ; 9
          role in {'db' ; expected } ; 14
          role in {db} ; expected } ; 10
          role inside {'db'} ; ==, !=, in ; 6
          (has(a) ; expected ) ; 8
          has(a)) ; expected &&, || or the end ; 7
          has(a) & has(b) ; expected &&, || or the end ; 8
          has(a) has(b) ; expected &&, || or the end ; 8
          has(a) && ; expected a label ; 10
          && has(a) ; expected a label ; 1
          ! ; expected a label ; 2
          'db' == role ; expected a label ; 1
          r*le == 'db' ; ==, !=, in ; 2
          """)
  void whatIsNoSelectorIsRefusedWithItsPlace(String text, String why, int at) {
    assertThatThrownBy(() -> Selector.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .hasMessageEndingWith("at character " + at);
  }

  @Test
  void aHostileTextCostsNoStack() {
    assertThatThrownBy(() -> Selector.parse("(".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too many brackets");
    assertThat(Selector.parse("!".repeat(100_001) + "all()").matches(Map.of())).isFalse();
    assertThatThrownBy(() -> Selector.parse("x".repeat(513) + " == ''"))
        .hasMessageContaining("at most 512");
  }

  @Test
  void theCanonicalTextIsTheSameForTheSameMeaning() {
    assertThat(Selector.parse(" ( a==\"x\" )&&b in { 'z','y' } "))
        .hasToString("(a == \"x\" && b in {\"y\", \"z\"})")
        .isEqualTo(Selector.parse("a == 'x' && b in {'y','z'}"));
    assertThat(Selector.parse("")).hasToString("all()");
    assertThat(Selector.parse("a == 'say \"hi\"'")).hasToString("a == 'say \"hi\"'");
  }

  @Test
  void anySelectorIsReadBackFromItsText() {
    Seeded.forAll(
        300,
        random -> {
          Selector selector = any(random, 4);
          Selector again = Selector.parse(selector.toString());
          assertThat(again).hasToString(selector.toString());
          for (int i = 0; i < 10; i++) {
            Map<String, String> labels = labels(random);
            assertThat(again.matches(labels)).isEqualTo(selector.matches(labels));
          }
        });
  }

  @Test
  void anyTextIsReadOrRefused() {
    String alphabet = "ab'\"(){}=!&|, \tinothascl-./_é\uD83D\uDC08\n";
    Seeded.forAll(
        2000,
        random -> {
          StringBuilder text = new StringBuilder();
          for (int i = random.nextInt(30); i > 0; i--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
          }
          try {
            Selector.parse(text.toString()).matches(labels(random));
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("is not a selector");
          }
        });
  }

  private static Selector any(Random random, int depth) {
    String label = "l" + random.nextInt(4);
    return switch (random.nextInt(depth > 0 ? 8 : 5)) {
      case 0 -> Selector.ALL;
      case 1 -> new Selector.Has(label);
      case 2 -> {
        Selector.Comparison[] all = Selector.Comparison.values();
        yield new Selector.Compare(label, all[random.nextInt(all.length)], value(random));
      }
      case 3 -> new Selector.In(label, new TreeSet<>(values(random)));
      case 4 -> new Selector.NotIn(label, new TreeSet<>(values(random)));
      case 5 -> {
        // A double negation is dropped.
        Selector operand = any(random, depth - 1);
        yield operand instanceof Selector.Not ? operand : new Selector.Not(operand);
      }
      case 6 -> new Selector.And(several(random, depth));
      default -> new Selector.Or(several(random, depth));
    };
  }

  private static List<Selector> several(Random random, int depth) {
    return List.of(any(random, depth - 1), any(random, depth - 1));
  }

  private static List<String> values(Random random) {
    List<String> values = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      values.add(value(random));
    }
    return values;
  }

  private static String value(Random random) {
    return List.of("", "a", "ab", "b", "a\"b", "é").get(random.nextInt(6));
  }

  private static Map<String, String> labels(Random random) {
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i < 4; i++) {
      if (random.nextBoolean()) {
        labels.put("l" + i, value(random));
      }
    }
    return labels;
  }
}
