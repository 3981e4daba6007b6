package io.ocicat.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageReferenceTest {
  private static final String HEX = "0123456789abcdef".repeat(4);

  @ParameterizedTest
  @CsvSource({
    "busybox, docker.io/library/busybox:latest",
    "busybox:1.29-2, docker.io/library/busybox:1.29-2",
    "foo/bar, docker.io/foo/bar:latest",
    "docker.io/busybox, docker.io/library/busybox:latest",
    "index.docker.io/busybox, docker.io/library/busybox:latest",
    "localhost/two:1, localhost/two:1",
    "localhost:5000/a/b/c, localhost:5000/a/b/c:latest",
    "127.0.0.1:80/a, 127.0.0.1:80/a:latest",
    "[::1]:5000/a:x, [::1]:5000/a:x",
    "registry.k8s.io/e2e-test-images/nginx:1.14-2, registry.k8s.io/e2e-test-images/nginx:1.14-2",
    "Registry.Example.com/a, Registry.Example.com/a:latest",
    "a__b/c-d.e_f, docker.io/a__b/c-d.e_f:latest",
  })
  void completesNames(String text, String complete) {
    assertThat(ImageReference.parse(text)).hasToString(complete);
    assertThat(ImageReference.parse(complete)).hasToString(complete);
  }

  @Test
  void digestWinsOverTag() {
    ImageReference reference = ImageReference.parse("a:1@sha256:" + HEX);
    assertThat(reference).hasToString("docker.io/library/a@sha256:" + HEX);
    assertThat(reference.tag()).isNull();
    assertThat(reference.pinned()).contains(new Digest(HEX));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "UPPER",
        "a/B",
        "a:",
        "a:-x",
        "a: b",
        "a@",
        "a@sha256:abc",
        "a@sha512:" + "00",
        "/a",
        "a/",
        "a//b",
        "../a",
        "a/../b",
        "a..b",
        "-a",
        "a_",
        "http://a/b",
        "a.b:99999999/c",
        "a\nb",
        "a:1:2",
        "a@sha256:0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"
      })
  void refusesWhatIsNotAName(String text) {
    assertThatThrownBy(() -> ImageReference.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not an image's name")
        .hasMessageNotContaining("\n");
  }

  @Test
  void refusesIdsAndLongNames() {
    assertThatThrownBy(() -> ImageReference.parse(HEX)).hasMessageContaining("id of an image");
    assertThatThrownBy(() -> ImageReference.parse("a/".repeat(200) + "b"))
        .hasMessageContaining("at most 255");
    assertThatThrownBy(() -> ImageReference.parse("a:" + "x".repeat(129)))
        .hasMessageContaining("is not a tag");
  }
}
