package io.ocicat.image.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChallengeTest {
  @Test
  void bearerWithCommasInQuotes() {
    assertThat(
            Challenge.parse(
                List.of(
                    "Bearer realm=\"https://auth.example/token\",service=\"a, b\", scope=\"repository:x:pull,push\"")))
        .containsExactly(
            new Challenge(
                "bearer",
                Map.of(
                    "realm", "https://auth.example/token",
                    "service", "a, b",
                    "scope", "repository:x:pull,push")));
  }

  @Test
  void severalInOneHeader() {
    assertThat(Challenge.parse(List.of("Basic realm=\"a\\\"b\", Bearer realm=x")))
        .containsExactly(
            new Challenge("basic", Map.of("realm", "a\"b")),
            new Challenge("bearer", Map.of("realm", "x")));
  }

  @Test
  void nonsense() {
    assertThat(Challenge.parse(List.of("", ",,,", "=", "\"", "a=b"))).isEmpty();
    assertThat(Challenge.parse(List.of("Negotiate")))
        .containsExactly(new Challenge("negotiate", Map.of()));
  }
}
