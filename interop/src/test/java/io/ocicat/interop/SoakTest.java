package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.interop.soak.Soak;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once on one host: see {@link Soak}. {@code -Docicat.soak=600} goes on for ten
 * minutes.
 */
@Hosts
class SoakTest {
  private static final int SECONDS = Integer.getInteger("ocicat.soak", 6);

  /** From here on with podman, which is slow. */
  private static final int LONG = 60;

  @Test
  void noAddressIsGivenTwiceAndNothingIsLeft(Host host, Host world, @TempDir Path directory)
      throws IOException {
    host.connect(world, "192.0.2.1/24", "192.0.2.2/24");
    // Without one the kernel does not answer for the gateway that calico gives containers.
    host.exec("ip", "route", "add", "default", "via", "192.0.2.2");
    Path distribution = PluginDirectory.withShims(directory);
    Output output =
        place(host, distribution)
            .env("OCICAT_ON_DEMAND", "0")
            .limit(Duration.ofSeconds(SECONDS).plusMinutes(10))
            .attempt();
    ControlGroups.remove(host.name());
    System.out.println(output.stdout());
    assertThat(output.exitCode()).as("%s", output).isZero();
  }

  private static Command place(Host host, Path distribution) {
    List<String> argv = new ArrayList<>();
    Collections.addAll(
        argv,
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "--pid",
        "--fork",
        "--kill-child",
        "sh",
        "-ec",
        """
        mount -t proc proc /proc
        for folder in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 tmpfs $folder; done
        ip link set lo up
        exec "$@"
        """,
        "machine",
        System.getProperty("java.home") + "/bin/java",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        Soak.class.getName(),
        distribution.toString(),
        String.valueOf(SECONDS),
        String.valueOf(Long.getLong("ocicat.seed", System.nanoTime())));
    if (SECONDS >= LONG) {
      argv.add(host.name());
    }
    return host.command(argv.toArray(String[]::new));
  }
}
