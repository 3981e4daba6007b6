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
 * {@code ./ocicat} for the first time, in a separate checkout, where something is missing: one
 * clear line says what to do, before the user has waited for a build.
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
            // 1: a directory has changed meanwhile, as dist does while the distribution is built.
            "{ tar -C .. --exclude=target --exclude=.git --exclude='./dist/ocicat*' -cf - . || (($? == 1)); } | tar -C \"$1\" -xf -",
            checkout)
        .run();
  }

  /** As in a terminal: a shell makes background processes, and their children, ignore Ctrl-C. */
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

  /** With a view of the machine that a script prepares, in a separate mount namespace. */
  private Output ocicatBehind(String preparation) {
    return prepared(preparation, "ocicat\" demo").attempt();
  }

  private Command prepared(String preparation, String command) {
    return shell(
            "exec unshare --mount bash -euo pipefail -c \"$SCRIPT\" bash \"$@\"", checkout, home)
        .env("SCRIPT", preparation + "\nexec \"$1/" + command)
        .env("HOME", home.toString());
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
        "ocicat: no JDK 25 in JAVA_HOME, /usr/lib/jvm or /opt (Debian 12 has none): unpack the one for ");
  }

  @Test
  void anOlderJdkIsNotAccepted() {
    refusedInOneLine(
        ocicatBehind(
            """
            for place in /usr/lib/jvm /opt; do mount -t tmpfs tmpfs "$place"; done
            mkdir -p /opt/jdk21/bin
            ln -s /bin/true /opt/jdk21/bin/javac
            echo "JAVA_VERSION=\\"21.0.1\\"" >/opt/jdk21/release
            export JAVA_HOME=/opt/jdk21
            """),
        "ocicat: no JDK 25 in JAVA_HOME");
  }

  /** Review U1: all at once, and the demo needs nothing that the build does not. */
  @Test
  void aBareMachineGetsAListOfAllThatBuildAndDemoNeed() {
    refusedInOneLine(
        prepared(BareMachine.HIDING, "ocicat\" demo").env("OCICAT_NO_INSTALL", "1").attempt(),
        "ocicat: missing: mvn, a C compiler; install (as root): "
            + "apt-get update && apt-get install --no-install-recommends maven musl-tools\n");
  }

  @Test
  void aMissingJdkDoesNotHideWhatElseIsMissing() {
    refusedInOneLine(
        ocicatBehind(
            BareMachine.HIDING
                + "for place in /usr/lib/jvm /opt; do mount -t tmpfs tmpfs $place; done"),
        "or set JAVA_HOME; also missing: mvn, a C compiler; install (as root): apt-get update");
  }

  @Test
  void aBareMachineGetsAListOfAllThatTheTestsNeed() throws IOException {
    Output refused =
        prepared(BareMachine.HIDING, "check\"").env("OCICAT_NO_INSTALL", "1").attempt();
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stdout()).isEmpty();
    assertThat(refused.stderr())
        .hasLineCount(1)
        .startsWith("check: missing: mvn, a C compiler, ")
        .endsWith(
            "; install (as root): apt-get update && apt-get install --no-install-recommends %s\n"
                .formatted(String.join(" ", BareMachine.packages(checkout))));
  }

  @Test
  void rootOfABareMachineGetsWhatIsMissingFromDebian() throws IOException {
    Output asked =
        ocicatBehind(
            BareMachine.HIDING
                + """
                rm "$2/bin/apt-get"
                printf '#!/bin/sh\necho "$*" >>"%s/asked"\n' "$2" >"$2/bin/apt-get"
                chmod +x "$2/bin/apt-get"
                """);
    assertThat(home.resolve("asked"))
        .hasContent("-qq update\n-qq -y --no-install-recommends install maven musl-tools\n");
    assertThat(asked.exitCode()).isEqualTo(1);
    assertThat(asked.stderr())
        .startsWith(
            "ocicat: installing maven, musl-tools from Debian (OCICAT_NO_INSTALL=1 to be told instead)\n"
                + "ocicat: apt-get has installed maven, musl-tools, and still there is no mvn, a C compiler in PATH");
    assertThat(checkout.resolve("dist/target/building")).doesNotExist();
  }

  /**
   * The real apt-get, without a network, without lists, and with nothing of the machine to change.
   */
  @Test
  void whatAptGetCannotDoIsSaidWithItsReason() {
    Output refused =
        ocicatBehind(
            BareMachine.HIDING
                + """
                for place in /var/lib/apt /var/cache/apt /var/lib/dpkg; do mount -t tmpfs tmpfs $place; done
                mkdir -p /var/lib/apt/lists/partial /var/lib/dpkg/updates
                : >/var/lib/dpkg/status
                exec unshare --net "$1/ocicat" demo
                """);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr().lines())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("ocicat: apt-get cannot install maven, musl-tools: Failed to fetch http")
        .endsWith("; Unable to locate package musl-tools; repair that, and repeat the command");
  }

  @Test
  void withoutAptGetEverythingIsNamedNevertheless() {
    refusedInOneLine(
        ocicatBehind(BareMachine.HIDING + "rm \"$2/bin/apt-get\""),
        "ocicat: missing: mvn, a C compiler; there is no apt-get here: install them by other means"
            + " (Debian's packages are maven musl-tools)\n");
  }

  @Test
  void aCompilerWithGlibcWillDo() {
    refusedInOneLine(
        prepared(
                BareMachine.HIDING
                    + """
                    umount /usr/include
                    ln -s /usr/bin/gcc /usr/bin/as /usr/bin/ld "$2/bin/"
                    """,
                "ocicat\" demo")
            .env("OCICAT_NO_INSTALL", "1")
            .attempt(),
        "ocicat: missing: mvn; install (as root): ");
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
  void soIsACheckoutOfAnotherUser() {
    Output refused =
        shell(
                "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$1/ocicat\" demo",
                checkout)
            .attempt();
    refusedInOneLine(refused, "and nobody may not: copy it to where you may");
  }

  @Test
  void aDiskThatIsTooSmallIsReportedBeforeTheBuild() {
    refusedInOneLine(
        ocicatBehind(
            """
            mkdir "$2/small"
            mount -t tmpfs -o size=100m tmpfs "$2/small"
            cp -a "$1/." "$2/small"
            set -- "$2/small"
            """),
        "ocicat: building needs 700 MB in %s/small, and ".formatted(home));
  }

  @Test
  void soIsOneThatIsTooSmallForWhatMavenDownloads() {
    refusedInOneLine(
        ocicatBehind(
            """
            mount -t tmpfs -o size=50m tmpfs "$2"
            """),
        "the first build downloads 60 MB into %s/.m2, and 50 MB are free: make room"
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

  /** As Ctrl-C does, to all of the terminal's foreground; and as a service manager does. */
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
