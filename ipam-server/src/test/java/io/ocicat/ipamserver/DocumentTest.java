package io.ocicat.ipamserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in the protocol's documentation are what the server really does. */
class DocumentTest {
  private static final Path PAGE = Path.of("../docs/http-ipam-protocol.md");

  @TempDir private Path directory;

  @Test
  void theExamplesDoWhatThePageSays() throws IOException {
    String page = Files.readString(PAGE);
    Iterator<String> lines =
        blocks(page, "```console\n").stream().flatMap(String::lines).iterator();
    String pools =
        blocks(page, "```json\n").stream()
            .filter(block -> block.contains("\"pools\""))
            .findFirst()
            .orElseThrow();
    try (TestServer server = new TestServer(directory, pools)) {
      String variables = "";
      int examples = 0;
      while (lines.hasNext()) {
        String line = lines.next();
        assertThat(line).startsWith("$ ");
        String command = line.substring("$ ".length());
        if (command.startsWith("KEY=")) {
          variables = command + "; ";
          continue;
        }
        String output =
            Command.of("sh", "-c", variables + command)
                .env("SERVER", server.url())
                .env("TOKEN", TestServer.TOKEN)
                .run()
                .stdout()
                .strip();
        assertThat(output).as(command).isEqualTo(lines.next());
        examples++;
      }
      assertThat(examples).isGreaterThan(10);
    }
  }

  private static List<String> blocks(String page, String fence) {
    List<String> blocks = new ArrayList<>();
    for (int start = page.indexOf(fence); start >= 0; start = page.indexOf(fence, start)) {
      start += fence.length();
      blocks.add(page.substring(start, page.indexOf("```", start)));
    }
    return blocks;
  }
}
