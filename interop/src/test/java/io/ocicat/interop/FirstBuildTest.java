package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code ./ocicat} for the first time, in a checkout of its own, where something is missing: one
 * clear line says what to do, before anybody has waited for a build.
 */
class FirstBuildTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir private Path directory;
  private Path checkout;
  private Path home;

  @BeforeEach
  void checkOut() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    checkout = Files.createDirectory(directory.resolve("checkout"));
    home = Files.createDirectory(directory.resolve("home"));
    shell(
            "tar -C .. --exclude=target --exclude=.git --exclude='./dist/ocicat*' -cf - . | tar -C \"$1\" -xf -",
            checkout)
        .run();
  }

  /** As in a terminal: who runs tests in the background has their children ignore Ctrl-C. */
  private static Command shell(String script, Path... arguments) {
    List<String> argv =
        Stream.concat(
                Stream.of(
                    "env",
                    "--default-signal=INT",
                    "bash",
                    "-euo",
                    "pipefail",
                    "-c",
                    script,
                    "bash"),
                Stream.of(arguments).map(Path::toString))
            .toList();
    return Command.of(argv).env("JAVA_HOME", "").env("MAVEN_OPTS", "").limit(LIMIT);
  }

  /** With a view of the machine that a script makes first, in a mount namespace of its own. */
  private Output ocicatBehind(String preparation) {
    return shell(
            "exec unshare --mount bash -euo pipefail -c '"
                + preparation
                + "\nexec \"$1/ocicat\" demo' bash \"$@\"",
            checkout,
            home)
        .env("HOME", home.toString())
        .attempt();
  }

  private void refusedInOneLine(Output refused, String line) {
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stdout()).isEmpty();
    assertThat(refused.stderr()).contains(line).hasLineCount(1);
    assertThat(checkout.resolve("dist/target/building")).doesNotExist();
    assertThat(checkout.resolve("dist/ocicat")).doesNotExist();
  }

  @Test
  void withoutAJdkItSaysWhichToInstall() {
    refusedInOneLine(
        ocicatBehind(
            """
            for place in /usr/lib/jvm /opt; do mount -t tmpfs tmpfs "$place"; done
            """),
        "ocicat needs a JDK 25 and found none in JAVA_HOME or /usr/lib/jvm: install one");
  }

  @Test
  void anOlderJdkIsNone() {
    refusedInOneLine(
        ocicatBehind(
            """
            for place in /usr/lib/jvm /opt; do mount -t tmpfs tmpfs "$place"; done
            mkdir -p /opt/jdk21/bin
            ln -s /bin/true /opt/jdk21/bin/javac
            echo "JAVA_VERSION=\\"21.0.1\\"" >/opt/jdk21/release
            export JAVA_HOME=/opt/jdk21
            """),
        "ocicat needs a JDK 25");
  }

  @Test
  void withoutMavenAndMuslItSaysWhatToInstall() {
    refusedInOneLine(
        ocicatBehind(
            """
            mkdir "$2/bin"
            mount -t tmpfs tmpfs "$2/bin"
            ln -s /usr/bin/* "$2/bin/"
            rm -f "$2/bin/mvn" "$2/bin/musl-gcc"
            export PATH="$2/bin"
            """),
        "ocicat: building needs more than there is: apt-get install maven musl-tools (as root)");
  }

  @Test
  void aReadOnlyCheckoutIsToBeCopied() {
    refusedInOneLine(
        ocicatBehind(
            """
            mount --bind "$1" "$1"
            mount -o remount,bind,ro "$1"
            """),
        "building needs to write in %s, and root may not: copy it to where you may"
            .formatted(checkout));
  }

  @Test
  void soIsACheckoutOfSomebodyElse() {
    Output refused =
        shell(
                "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$1/ocicat\" demo",
                checkout)
            .attempt();
    refusedInOneLine(refused, "and nobody may not: copy it to where you may");
  }

  @Test
  void aDiskThatIsTooSmallIsToldBeforeTheBuild() {
    refusedInOneLine(
        ocicatBehind(
            """
            mkdir "$2/small"
            mount -t tmpfs -o size=100m tmpfs "$2/small"
            cp -a "$1/." "$2/small"
            set -- "$2/small"
            """),
        "ocicat: building needs 400 MB in %s/small, and ".formatted(home));
  }

  @Test
  void soIsOneThatIsTooSmallForWhatMavenDownloads() {
    refusedInOneLine(
        ocicatBehind(
            """
            mount -t tmpfs -o size=50m tmpfs "$2"
            """),
        "the first build downloads 120 MB into %s/.m2, and 50 MB are free: make room"
            .formatted(home));
  }

  @Test
  void withoutANetworkTheFirstBuildSaysSo() {
    Output refused =
        shell("exec unshare --net \"$1/ocicat\" demo", checkout)
            .env("HOME", home.toString())
            .attempt();
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr().lines())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("ocicat: Maven cannot download what the first build needs (")
        .contains("connect this machine to the network");
    assertThat(checkout.resolve("dist/target/building")).doesNotExist();
  }

  @Test
  void aMistakeInTheSourcesIsShown() throws IOException {
    Files.writeString(checkout.resolve("ip/src/main/java/io/ocicat/ip/Broken.java"), "broken");
    Output refused = shell("exec \"$1/ocicat\" demo", checkout).attempt();
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr())
        .contains("ip/Broken.java:[1,1]")
        .endsWith(
            "ocicat: the build failed; all that Maven said is in %s/dist/target/build.log\n"
                .formatted(checkout));
  }

  /** As Ctrl-C does, to all of the terminal's foreground; and as whoever stops services does. */
  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM"})
  void anInterruptedBuildEndsAtOnceWithAllThatItStarted(String signal) {
    try (Background build =
        shell("exec setsid --fork --wait \"$1/ocicat\" demo", checkout).start()) {
      Eventually.await(
          "the build is under way", LIMIT, () -> build.stderr().contains("ocicat: 2 of "));
      ProcessHandle script =
          ProcessHandle.of(build.pid()).orElseThrow().children().findFirst().orElseThrow();
      List<ProcessHandle> all = script.descendants().toList();
      assertThat(all).isNotEmpty();
      Command.of("kill", "-" + signal, "--", "-" + script.pid()).run();
      Output ended = build.await(LIMIT);
      assertThat(ended.exitCode()).isEqualTo(130);
      assertThat(ended.stderr())
          .endsWith(
              "ocicat: interrupted; nothing is left half done, and the next ./ocicat goes on from here\n");
      assertThat(all).noneMatch(ProcessHandle::isAlive);
      assertThat(checkout.resolve("dist/target/building")).doesNotExist();
    }
  }
}
