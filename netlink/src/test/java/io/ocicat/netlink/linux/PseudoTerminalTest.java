package io.ocicat.netlink.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PseudoTerminalTest {
  /** Runs a script whose terminal it is. */
  private static Process run(PseudoTerminal terminal, String script) throws IOException {
    return new ProcessBuilder(
            "setsid",
            "-w",
            "sh",
            "-c",
            "exec <\"$0\" >\"$0\" 2>&1; " + script,
            terminal.slave().toString())
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .start();
  }

  private static String read(PseudoTerminal terminal) {
    StringBuilder text = new StringBuilder();
    byte[] buffer = new byte[100];
    for (int n = terminal.read(buffer, 0, 100); n >= 0; n = terminal.read(buffer, 0, 100)) {
      text.append(new String(buffer, 0, n, UTF_8));
    }
    return text.toString();
  }

  @Test
  void aProcessIsAtItsOtherSide() throws Exception {
    try (PseudoTerminal terminal = PseudoTerminal.open()) {
      terminal.resize(120, 33);
      byte[] line = "hello\n".getBytes(UTF_8);
      assertThat(terminal.write(line, 0, line.length)).isTrue();
      Process process = run(terminal, "stty size; read a; echo got $a; exit 6");
      assertThat(read(terminal)).contains("33 120\r\n", "got hello\r\n");
      assertThat(process.waitFor()).isEqualTo(6);
    }
  }

  @Test
  void closingHangsUpAndEndsWaits() throws Exception {
    PseudoTerminal terminal = PseudoTerminal.open();
    // Whoever started this JVM may ignore SIGHUP: then the end of the input tells of it.
    Process process = run(terminal, "cat >/dev/null; exit 7");
    Thread reader = Thread.ofPlatform().start(() -> assertThat(read(terminal)).isEmpty());
    Thread.sleep(200);
    terminal.close();
    reader.join();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isIn(7, 129);
    terminal.close();
    assertThat(terminal.read(new byte[1], 0, 1)).isEqualTo(-1);
    assertThat(terminal.write(new byte[1], 0, 1)).isFalse();
  }
}
