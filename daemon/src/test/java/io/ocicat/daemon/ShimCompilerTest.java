package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shim works the same with every C compiler (review U1). */
@Hosts
class ShimCompilerTest {
  @TempDir Path folder;

  /** Those of {@code .ci/packages}, and clang where it is installed. */
  static Stream<String> compilers() {
    Stream<String> clang =
        Stream.of(System.getenv("PATH").split(":", -1))
            .filter(directory -> Files.isExecutable(Path.of(directory, "clang")))
            .limit(1)
            .map(_ -> "clang");
    return Stream.concat(Stream.of("musl-gcc", "gcc"), clang);
  }

  @ParameterizedTest
  @MethodSource("compilers")
  void itCallsTheDaemonAndReportsErrors(String compiler, Host host, Host container)
      throws IOException {
    Path shim = folder.resolve("shim");
    Command.of(Path.of("src/main/c/build").toAbsolutePath().toString(), shim.toString())
        .env("OCICAT_CC", compiler)
        .run();
    Installation ocicat = Installation.in(folder, host);
    for (String plugin : List.of("bridge", "portmap")) {
      Files.copy(shim, ocicat.executable(plugin), StandardCopyOption.REPLACE_EXISTING);
    }
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      Output added = pod.add().run();
      assertThat(added.json().path("ips")).as(daemon.log()).hasSize(1);
      pod.mapPort(added).run();
      Output again = pod.add().attempt();
      assertThat(again.exitCode()).isEqualTo(1);
      assertThat(again.json().has("msg")).isTrue();
      pod.unmapPort().run();
      pod.del().run();
      assertThat(ocicat.oneShots()).isEmpty();
    }
  }
}
