package io.ocicat.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Review U10: with flannel the demo recommended what shows nothing there, and flannel itself. */
class ChainTest {
  @Test
  void flannelIsNotRecommendedToWhoeverHasJustSeenIt() {
    assertThat(Chain.CALICO.other()).startsWith("--flannel");
    assertThat(Chain.FLANNEL.other()).startsWith("without --flannel");
  }

  @Test
  void calicosCommandsAreNotRecommendedForFlannel() {
    assertThat(Chain.FLANNEL.hints())
        .extracting(Chain.Hint::command)
        .noneMatch(command -> command.matches("ocicat (ipam|get) .*"));
  }
}
