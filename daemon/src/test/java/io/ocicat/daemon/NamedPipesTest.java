package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A named pipe in place of a configured file blocks nobody (review R14). */
@Hosts
class NamedPipesTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  /**
   * @param plugin the one that is called
   * @param members its configuration; {@code %s} is the pipe
   * @param code its error code
   */
  private record Case(String plugin, String members, int code) {}

  private static final List<Case> CASES =
      List.of(
          new Case(
              "host-local",
              """
              "ipam":{"type":"host-local","subnet":"10.88.0.0/24","dataDir":"%s.leases",
                      "resolvConf":"%s"}
              """,
              5),
          new Case(
              "bridge",
              """
              "ipam":{"type":"ipam","serverURL":"http://127.0.0.1:1","tokenFile":"%s"}
              """,
              7),
          new Case(
              "bridge",
              """
              "ipam":{"type":"ipam","serverURL":"https://127.0.0.1:1","token":"0123456789abcdef",
                      "caFile":"%s"}
              """,
              7),
          new Case(
              "flannel",
              """
              "subnetFile":"%s","dataDir":"%s.flannel","delegate":{"bridge":"br0"}
              """,
              11));

  @Test
  void inThePlaceOfAFileAreRefused(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Path pipe = folder.resolve("pipe");
    Command.of("mkfifo", pipe.toString()).run();
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      for (Case each : CASES) {
        String conf =
            "{\"cniVersion\":\"1.0.0\",\"name\":\"pipes\",\"type\":\"%s\",%s}"
                .formatted(each.plugin(), each.members().replace("%s", pipe.toString()));
        Output output = pod.call(each.plugin(), "ADD", conf).limit(LIMIT).attempt();
        assertThat(output.exitCode()).as("%s", output).isEqualTo(1);
        assertThat(output.stdout()).contains("not a regular file");
        assertThat(output.json().get("code").asInt()).as("%s", output).isEqualTo(each.code());
        assertThat(pod.call(each.plugin(), "DEL", conf).limit(LIMIT).attempt().stdout())
            .doesNotContain("has not said anything");
      }
      assertThat(daemon.log()).doesNotContain("stuck=");
    }
  }
}
