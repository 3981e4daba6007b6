package io.ocicat.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Review U20. */
class ShortIdsTest {
  private static final String ONE = "46cc70".repeat(10) + "abcd";
  private static final String TWIN = "46cc70".repeat(10) + "abce";
  private static final String OTHER = "0f".repeat(32);

  @Test
  void twelveCharactersAreEnoughForMost() {
    ShortIds ids = ShortIds.among(List.of(ONE, OTHER, "c1"));

    assertThat(ids.of(ONE)).isEqualTo("46cc7046cc70");
    assertThat(ids.of("c1")).isEqualTo("c1");
    assertThat(ids.of(TWIN)).as("of one that nobody knew").hasSize(64);
    assertThat(ids.in("blue/%s/eth0 and %s".formatted(ONE, OTHER)))
        .isEqualTo("blue/46cc7046cc70/eth0 and 0f0f0f0f0f0f");
  }

  @Test
  void idsThatBeginAlikeStayDistinct() {
    ShortIds ids = ShortIds.among(List.of(ONE, TWIN));

    assertThat(ids.of(ONE)).isEqualTo(ONE);
    assertThat(ids.in(TWIN)).isEqualTo(TWIN);
    assertThat(ShortIds.among(List.of("46cc7046cc70aa", "46cc7046cc70bb")).of("46cc7046cc70aa"))
        .isEqualTo("46cc7046cc70a");
  }
}
