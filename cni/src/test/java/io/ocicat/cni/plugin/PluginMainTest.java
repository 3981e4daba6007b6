package io.ocicat.cni.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.Verb;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

/** The entry point of an executable; NoopPluginTest tests it as a process. */
class PluginMainTest {
  private final RecordingPlugin plugin = new RecordingPlugin();
  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();

  @Test
  void printsExactlyOneDocumentHoweverMuchThePluginPrints() {
    plugin.action =
        call -> {
          System.out.println("debugging");
          call.log("seriously");
        };
    PrintStream before = System.out;
    assertThat(run(Request.of(Verb.ADD), stdout)).isZero();
    assertThat(System.out).isSameAs(before);
    assertThat(Json.compact(CniJson.parse(stdout.toByteArray())))
        .isEqualTo("{\"cniVersion\":\"1.1.0\"}");
    assertThat(stderr.toString(UTF_8)).isEqualTo("debugging\nseriously\n");
  }

  @Test
  void aFailureIsADocumentToo() {
    plugin.failing(new IllegalStateException("potato"));
    assertThat(run(Request.of(Verb.ADD), stdout)).isEqualTo(1);
    assertThat(CniJson.parse(stdout.toByteArray()).get("code").intValue()).isEqualTo(999);
  }

  @Test
  void delPrintsNothing() {
    assertThat(run(Request.of(Verb.DEL), stdout)).isZero();
    assertThat(stdout.size()).isZero();
  }

  @Test
  void anAnswerThatCannotBeWrittenIsAFailure() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    assertThat(run(Request.of(Verb.ADD), full)).isEqualTo(1);
    assertThat(stderr.toString(UTF_8))
        .isEqualTo("cannot write the answer to stdout: No space left on device\n");
  }

  private int run(Request request, OutputStream out) {
    return PluginMain.run(
        plugin,
        PluginHost.process(),
        request.environment(),
        new ByteArrayInputStream(request.stdin().getBytes(UTF_8)),
        out,
        new PrintStream(stderr, true, UTF_8));
  }
}
