package io.ocicat.plugins.bandwidth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IfbTest {

  @ParameterizedTest
  @CsvSource({
    "mynet, ctr1, bwp5145007e2a84",
    "cni-plugin-bandwidth-test, dummy, bwpa8eda89404b7",
  })
  void itIsCalledAsGoCallsIt(String network, String container, String name) {
    assertThat(ifb(network, container, "eth0").name()).isEqualTo(name);
    assertThat(ifb(network, container, "net1").name()).isEqualTo(name);
  }

  @Test
  void eachInterfaceHasASecondNameOfItsOwn() {
    assertThat(ifb("n", "c", "eth0").secondName())
        .startsWith("bwp")
        .hasSize(15)
        .isNotEqualTo(ifb("n", "c", "eth0").name())
        .isNotEqualTo(ifb("n", "c", "eth1").secondName());
  }

  @Test
  void theAliasTellsPeopleWhoseItIs() {
    assertThat(ifb("blue", "pod-1", "eth0").tag())
        .matches("ocicat bandwidth [0-9a-f]{16}-[0-9a-f]{16} net blue, if eth0, id pod-1")
        .startsWith(Ifb.networkMark("blue"))
        .doesNotStartWith(Ifb.networkMark("blues"));
  }

  @Test
  void theAliasFitsHoweverLongTheNamesAre() {
    String tag = ifb("n".repeat(300), "c".repeat(300), "ħħħħħħħ").tag();

    assertThat(tag.getBytes(UTF_8)).hasSize(255);
    assertThat(tag).startsWith(Ifb.networkMark("n".repeat(300)));
  }

  private static Ifb ifb(String network, String container, String ifName) {
    return new Ifb(network, new Attachment(container, ifName));
  }
}
