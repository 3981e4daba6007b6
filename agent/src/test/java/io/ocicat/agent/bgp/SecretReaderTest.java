package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.view.SecretEntry;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets are read behind the agent's back, and again. */
class SecretReaderTest {
  private static final SecretEntry ENTRY = new SecretEntry("bgp", "tor");
  private static final Duration INTERVAL = Duration.ofMillis(20);

  @TempDir Path folder;

  private void write(String text) throws IOException {
    Files.createDirectories(folder.resolve("bgp"));
    Files.writeString(folder.resolve("bgp/tor"), text);
  }

  private static void await(SecretReader reader, BgpSecrets.Answer answer) {
    Eventually.passes(
        Duration.ofSeconds(10), () -> assertThat(reader.find(ENTRY)).isEqualTo(answer));
  }

  @Test
  void aSecretThatComesLaterIsFound() throws IOException {
    AtomicInteger changes = new AtomicInteger();
    try (SecretReader reader =
        SecretReader.start(SecretSource.ofFolder(folder), INTERVAL, changes::incrementAndGet)) {
      assertThat(reader.find(ENTRY)).isEqualTo(new BgpSecrets.Answer.Pending());
      await(
          reader,
          new BgpSecrets.Answer.Missing(
              "does not exist: write it to " + folder.resolve("bgp/tor")));
      write("one");
      await(reader, new BgpSecrets.Answer.Found("one"));
      write("two");
      await(reader, new BgpSecrets.Answer.Found("two"));
      Files.delete(folder.resolve("bgp/tor"));
      Eventually.passes(
          Duration.ofSeconds(10),
          () -> assertThat(reader.find(ENTRY)).isInstanceOf(BgpSecrets.Answer.Missing.class));
      assertThat(changes.get()).isGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void whatCannotBeReadForAWhileKeepsItsContent() {
    AtomicReference<String> content = new AtomicReference<>("");
    AtomicInteger failures = new AtomicInteger();
    SecretSource source =
        _ -> {
          if (content.get().isEmpty()) {
            failures.incrementAndGet();
            throw new SecretSource.UnavailableException(
                "cannot be read: no answer", new IOException());
          }
          return new BgpSecrets.Answer.Found(content.get());
        };
    try (SecretReader reader = SecretReader.start(source, INTERVAL, () -> {})) {
      await(reader, new BgpSecrets.Answer.Pending());
      await(reader, new BgpSecrets.Answer.Missing("cannot be read: no answer"));
      content.set("one");
      await(reader, new BgpSecrets.Answer.Found("one"));
      content.set("");
      int before = failures.get();
      Eventually.await("read again", () -> failures.get() > before + 2);
      assertThat(reader.find(ENTRY)).isEqualTo(new BgpSecrets.Answer.Found("one"));
    }
  }

  @Test
  void namesDoNotLeaveTheFolder() throws Exception {
    Files.writeString(folder.resolve("outside"), "secret");
    SecretSource source = SecretSource.ofFolder(folder.resolve("inside"));
    for (SecretEntry entry :
        new SecretEntry[] {
          new SecretEntry("..", "outside"),
          new SecretEntry("a/../..", "outside"),
          new SecretEntry("a", "../../outside"),
          new SecretEntry("", "outside")
        }) {
      assertThat(source.read(entry))
          .isInstanceOfSatisfying(
              BgpSecrets.Answer.Missing.class,
              missing -> assertThat(missing.why()).startsWith("has a name that is not valid"));
    }
  }
}
