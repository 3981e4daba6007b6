package io.ocicat.ipamserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFileTest {
  private static final String OLD = "old-0123456789abcdef";
  private static final String NEW = "new-0123456789abcdef==";

  @TempDir private Path directory;
  private final List<String> log = new ArrayList<>();

  @Test
  void tokensCanBeChangedWithoutAPause() throws IOException {
    TokenFile tokens = TokenFile.read(write("# the plugin's\n\n  " + OLD + "  \r\n"), log::add);
    assertThat(tokens.accept(OLD)).isTrue();
    assertThat(tokens.accept(NEW)).isFalse();

    write(OLD + "\n" + NEW);
    assertThat(tokens.accept(NEW)).isTrue();
    assertThat(tokens.accept(OLD)).isTrue();

    write(NEW);
    assertThat(tokens.accept(OLD)).isFalse();
    assertThat(tokens.accept(NEW)).isTrue();
    assertThat(log).hasSize(2).allMatch(line -> line.contains("was read again"));
  }

  @Test
  void aFileThatBecameUnusableLocksNobodyOut() throws IOException {
    TokenFile tokens = TokenFile.read(write(OLD), log::add);
    write("not a token");
    assertThat(tokens.accept(OLD)).isTrue();
    assertThat(tokens.accept(OLD)).isTrue();
    assertThat(log)
        .singleElement()
        .asString()
        .startsWith("the tokens stay as they are: line 1 of the token file");
  }

  /** Review R14: all requests would wait for its writer. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeInItsPlaceKeepsNobodyWaiting() throws IOException, InterruptedException {
    TokenFile tokens = TokenFile.read(write(OLD), log::add);
    Files.delete(file());
    assertThat(new ProcessBuilder("mkfifo", file().toString()).start().waitFor()).isZero();
    assertThat(tokens.accept(OLD)).isTrue();
    assertThat(log).singleElement().asString().contains("not a regular file");
  }

  /** Review R13. */
  @Test
  void anEmptiedOrDeletedFileRevokesAllTokens() throws IOException {
    TokenFile tokens = TokenFile.read(write(OLD), log::add);
    write("# none\n");
    assertThat(tokens.accept(OLD)).isFalse();
    assertThat(tokens.accept(OLD)).isFalse();
    write(OLD);
    assertThat(tokens.accept(OLD)).isTrue();
    Files.delete(file());
    assertThat(tokens.accept(OLD)).isFalse();
    assertThat(tokens.accept(OLD)).isFalse();
    write(NEW);
    assertThat(tokens.accept(NEW)).isTrue();
    assertThat(tokens.accept(OLD)).isFalse();
    assertThat(log)
        .containsExactly(
            "the token file %s holds no token: all requests are rejected".formatted(file()),
            "the token file %s was read again".formatted(file()),
            "the token file %s is gone: all requests are rejected".formatted(file()),
            "the token file %s was read again".formatted(file()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "OLD-0123456789abcdef", "old-0123456789abcde", "old-0123456789abcdef0"})
  void almostRightIsWrong(String token) throws IOException {
    assertThat(TokenFile.read(write(OLD), log::add).accept(token)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret", "with blanks in between", "ünusual-0123456789abcdef"})
  void whatIsNoTokenIsNotEchoed(String token) throws IOException {
    write("# one\n" + token);
    IpamServerException refusal =
        assertThrows(IpamServerException.class, () -> TokenFile.read(file(), log::add));
    assertThat(refusal.getMessage())
        .startsWith("line 2 of the token file " + file())
        .doesNotContain(token);
  }

  @Test
  void aMissingFileIsNamed() {
    assertThat(
            assertThrows(IpamServerException.class, () -> TokenFile.read(file(), log::add))
                .getMessage())
        .startsWith("cannot read the token file " + file());
  }

  private Path write(String text) throws IOException {
    return Files.writeString(file(), text);
  }

  private Path file() {
    return directory.resolve("tokens");
  }
}
