package io.ocicat.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Review U10: with flannel the demo recommended commands that show nothing there, and flannel
 * itself.
 */
class DemoNetworkTest {
  @Test
  void flannelIsNotRecommendedToUsersWhoHaveJustSeenIt() {
    assertThat(DemoNetwork.CALICO.other()).startsWith("--flannel");
    assertThat(DemoNetwork.FLANNEL.other()).startsWith("without --flannel");
  }

  @Test
  void calicosCommandsAreNotRecommendedForFlannel() {
    assertThat(DemoNetwork.FLANNEL.hints())
        .extracting(DemoNetwork.Hint::command)
        .noneMatch(command -> command.matches("ocicat (ipam|get) .*"));
  }
}
