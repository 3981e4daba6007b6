package io.ocicat.sandbox.container.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InRootTest {
  /** An image whose /etc/passwd is a link must not make us read a file of the host. */
  @Test
  void linksLeadNowhereElse(@TempDir Path root) throws IOException {
    Files.createDirectories(root.resolve("etc/real"));
    Files.writeString(root.resolve("etc/real/passwd"), "inside");
    Files.createSymbolicLink(root.resolve("etc/passwd"), Path.of("/etc/real/passwd"));
    Files.createSymbolicLink(root.resolve("up"), Path.of("../../../../../etc/real/passwd"));
    Files.createSymbolicLink(root.resolve("folder"), Path.of("etc/real"));
    Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
    for (String path : new String[] {"/etc/passwd", "/up", "/folder/passwd", "/folder/../passwd"}) {
      assertThat(InRoot.read(root, path)).as(path).isEqualTo("inside");
    }
    assertThat(InRoot.read(root, "/etc/shadow")).isEmpty();
    assertThat(InRoot.resolve(root, "/new/place")).isEqualTo(root.resolve("new/place"));
    assertThatThrownBy(() -> InRoot.read(root, "/loop")).hasMessageContaining("too many");
    assertThatThrownBy(() -> InRoot.read(root, "/folder")).isInstanceOf(IOException.class);
  }
}
