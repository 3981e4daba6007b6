package io.ocicat.cli.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.Shell.Printed;
import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.image.Digest;
import io.ocicat.image.PullEvent;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.image.testing.TestRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ImageCommandTest {
  private static final byte[] LAYER =
      new TarBuilder().directory("etc/").file("etc/motd", "hello").build();

  private final TestImage image = TestImage.of(LAYER);

  @TempDir private Path folder;

  private Printed ocicat(String command, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    PrintWriter errWriter = new PrintWriter(err, true);
    ErrorReporter reporter = new ErrorReporter(errWriter, false);
    CommandLine line =
        ImageCommand.create()
            .setOut(new PrintWriter(out, true))
            .setErr(errWriter)
            .setParameterExceptionHandler(reporter::misuse)
            .setExecutionExceptionHandler((failure, _, _) -> reporter.failure(failure));
    List<String> argv = new ArrayList<>(List.of(command));
    argv.addAll(List.of("--root", folder.resolve("images").toString()));
    argv.addAll(List.of(args));
    int exitCode = line.execute(argv.toArray(String[]::new));
    return new Printed(exitCode, out.toString(), err.toString());
  }

  private Printed load() throws IOException {
    Path archive = Files.write(folder.resolve("a.tar"), image.dockerArchive("hello:1"));
    return ocicat("load", archive.toString());
  }

  @Test
  void loadListRemove() throws IOException {
    assertThat(load().out()).isEqualTo("docker.io/library/hello:1\n");
    assertThat(ocicat("ls").out())
        .contains("IMAGE", "docker.io/library/hello:1", image.id().hex().substring(0, 12));
    assertThat(ocicat("ls", "--quiet").out().strip()).isEqualTo(image.id().toString());
    assertThat(ocicat("ls", "--json").out()).contains("\"repoTags\"", "hello:1", "\"usage\"");
    assertThat(ocicat("rm", "hello:1").out().strip()).isEqualTo(image.id().toString());
    assertThat(ocicat("ls").out()).isEmpty();
    Printed again = ocicat("rm", "hello:1");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("there is no image hello:1");
  }

  @Test
  void pull() {
    try (TestRegistry registry = new TestRegistry()) {
      String name = registry.push("test:1", image);
      assertThat(ocicat("pull", name).out().strip()).isEqualTo(image.id().toString());
      assertThat(ocicat("pull", "--json", name).out()).contains(name);
      Printed missing = ocicat("pull", registry.address() + "/none:1");
      assertThat(missing.exitCode()).isEqualTo(1);
      assertThat(missing.err()).contains("does not have").hasLineCount(1);
    }
  }

  @Test
  void verifyFindsDamageAndDiscardsIt() throws IOException {
    load();
    assertThat(ocicat("verify").out()).isEqualTo("every file of 1 image is as it was unpacked\n");
    Path layer = folder.resolve("images/layers").resolve(Digest.of(LAYER).hex());
    Files.writeString(layer.resolve("diff/etc/motd"), "");
    Printed damaged = ocicat("verify");
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.out()).contains("hello:1 is damaged", "/etc/motd differs");
    assertThat(ocicat("verify", "--discard").exitCode()).isZero();
    assertThat(ocicat("ls").out()).isEmpty();
    load();
    assertThat(ocicat("verify").exitCode()).isZero();
  }

  @Test
  void progressOnATerminalIsOneLine() {
    StringWriter err = new StringWriter();
    Digest layer = image.layers().getFirst();
    try (TransferView view = new TransferView(new PrintWriter(err), Optional.of(60))) {
      view.on(new PullEvent.Layer(layer, PullEvent.LayerState.DOWNLOADING, 500_000, 2_000_000));
      view.on(new PullEvent.Layer(layer, PullEvent.LayerState.UNPACKING, 2_000_000, 2_000_000));
    }
    assertThat(err.toString())
        .contains(
            "500 kB of 500 kB, 0 of 1 layers",
            "2.0 MB",
            "unpacking " + layer.hex().substring(0, 12))
        .doesNotContain("\n")
        .endsWith("\r\u001b[K");
  }

  @Test
  void elsewhereOnlyRetriesAreShown() {
    StringWriter err = new StringWriter();
    Digest layer = image.layers().getFirst();
    try (TransferView view = new TransferView(new PrintWriter(err), Optional.empty())) {
      view.on(new PullEvent.Layer(layer, PullEvent.LayerState.DOWNLOADING, 1, 2));
      view.on(new PullEvent.Retry("blob x", "it was cut", Duration.ofMillis(500)));
    }
    assertThat(err.toString()).isEqualTo("ocicat: blob x: it was cut; again in 500 ms\n");
  }

  @Test
  void misuse() {
    assertThat(ocicat("rm").exitCode()).isEqualTo(2);
    assertThat(ocicat("rm", "--all", "a").exitCode()).isEqualTo(2);
    assertThat(ocicat("pull").exitCode()).isEqualTo(2);
    Printed name = ocicat("pull", "UPPER");
    assertThat(name.exitCode()).isEqualTo(1);
    assertThat(name.err()).contains("\"UPPER\" is not an image's name").hasLineCount(1);
    assertThat(ocicat("load", folder + "/none").err()).contains("does not exist");
  }
}
