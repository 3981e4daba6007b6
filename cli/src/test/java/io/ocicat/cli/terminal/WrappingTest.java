package io.ocicat.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Review U9: the demo broke lines inside words. */
class WrappingTest {
  @Test
  void linesAreBrokenBetweenWords() {
    assertThat(Wrapping.wrap("create a veth pair and set routes", 12))
        .isEqualTo(List.of("create a", "veth pair", "and set", "routes"));
  }

  @Test
  void aTextThatFitsIsOneLine() {
    assertThat(Wrapping.wrap("create a veth pair", 18)).isEqualTo(List.of("create a veth pair"));
  }

  @Test
  void onlyAWordThatIsLongerThanALineIsBrokenAndNothingOfItIsLost() {
    List<String> lines = Wrapping.wrap("make /run/ocicat/pods/netns/pod-1 now", 10);
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(10));
    assertThat(String.join("", lines)).isEqualTo("make/run/ocicat/pods/netns/pod-1now");
  }
}
