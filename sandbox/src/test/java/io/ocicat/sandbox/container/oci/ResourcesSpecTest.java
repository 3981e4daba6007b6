package io.ocicat.sandbox.container.oci;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.LinuxResources.HugepageLimit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourcesSpecTest {
  private static final LinuxResources ALL =
      new LinuxResources(
          100_000,
          -1,
          2,
          1000,
          0,
          "0-1",
          "0",
          List.of(new HugepageLimit("2MB", 0)),
          Map.of("memory.high", "900"),
          0);

  private static String json(boolean hugePages, boolean swap, boolean unified) {
    return Json.compact(ResourcesSpec.of(ALL, hugePages, swap, unified));
  }

  @Test
  void aMachineGetsWhatItCanLimit() {
    String cpu =
        "\"cpu\":{\"shares\":2,\"quota\":-1,\"period\":100000,\"cpus\":\"0-1\",\"mems\":\"0\"}";
    assertThat(json(false, false, false)).isEqualTo("{" + cpu + ",\"memory\":{\"limit\":1000}}");
    assertThat(json(true, true, true))
        .isEqualTo(
            "{"
                + cpu
                + ",\"memory\":{\"limit\":1000,\"swap\":1000},"
                + "\"hugepageLimits\":[{\"pageSize\":\"2MB\",\"limit\":0}],"
                + "\"unified\":{\"memory.high\":\"900\"}}");
  }

  @Test
  void whatIsNotStatedStays() {
    assertThat(Json.compact(ResourcesSpec.of(LinuxResources.NONE, true, true, true)))
        .isEqualTo("{}");
    LinuxResources updated = ALL.updatedBy(LinuxResources.NONE.withMemory(2000, 0));
    assertThat(updated.memoryLimit()).isEqualTo(2000);
    assertThat(updated.withMemory(1000, 0)).isEqualTo(ALL);
  }
}
