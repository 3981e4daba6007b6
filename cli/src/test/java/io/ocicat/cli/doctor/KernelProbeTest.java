package io.ocicat.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KernelProbeTest {
  /** A machine that runs these tests has run the plugins', which need all of it. */
  @Test
  void thisKernelCanDoWhatPluginsNeed() {
    assertThat(KernelProbe.run()).filteredOn(missing -> missing.feature().needed()).isEmpty();
  }
}
