package io.ocicat.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Review U9 and U26: facts were cut off at the terminal's edge, and IPAM was one opaque line. */
class AddDrawingTest {
  private static final String STEPS =
      """
      [{"step": "sandbox", "detail": "run default/web", "depth": 0, "start": 0, "nanos": 9000000},
       {"step": "plugin", "detail": "/opt/cni/bin/calico ADD eth0", "depth": 1, "start": 1, "nanos": 7000000},
       {"step": "ipam", "detail": "calico-ipam ADD", "depth": 4, "start": 2, "nanos": 5000},
       {"step": "link", "depth": 4, "start": 3, "nanos": 5000,
        "detail": "set link 2 up; add route 169.254.1.1/32 dev eth0 scope link; set link 3 alias \\"cni:k8s-pod-network/cd6ba5e928a53a6ef7241167f6a31f7d60721bf78c9f838d58f06d6f65c12c87/eth0\\""}]
      """;

  private static String drawn(int width) {
    StringWriter out = new StringWriter();
    new AddDrawing(new DemoNarrator(new PrintWriter(out), false, width))
        .print(CniJson.parse(STEPS), List.of("pool pods, 10.65.0.0/16", "block 10.65.84.128/26"));
    return out.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 80, 120})
  void nothingIsCutOffAndNothingIsWiderThanTheTerminal(int width) {
    String drawn = drawn(width);
    assertThat(drawn.lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
    assertThat(drawn.replaceAll("\\s+", ""))
        .contains(
            "plugin:calicoADDeth0",
            "setlink2upaddroute169.254.1.1/32deveth0scopelinksetlink3alias"
                + "\"cni:k8s-pod-network/cd6ba5e9…/eth0\"");
  }

  @Test
  void whatIpamDidIsBelowItsStep() {
    assertThat(drawn(80).lines().map(String::strip).toList())
        .containsSubsequence("pool pods, 10.65.0.0/16", "block 10.65.84.128/26")
        .anyMatch(line -> line.endsWith("ipam: calico-ipam ADD"));
  }
}
