package io.ocicat.plugins.bandwidth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.NetworkName;
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
    assertThat(ifb("blue", "pod-1", "eth0").alias())
        .isEqualTo("cni:blue/pod-1/eth0")
        .startsWith(Ifb.aliasPrefix(new NetworkName("blue")))
        .doesNotStartWith(Ifb.aliasPrefix(new NetworkName("blu")));
  }

  private static Ifb ifb(String network, String container, String ifName) {
    return Shaped.ifb(network, container, ifName);
  }
}
