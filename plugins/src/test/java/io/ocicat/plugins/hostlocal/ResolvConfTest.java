package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Dns;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResolvConfTest {

  @Test
  void aSimpleFile() {
    assertThat(ResolvConf.parse("nameserver 192.0.2.0\nnameserver 192.0.2.1\n"))
        .isEqualTo(new Dns(List.of("192.0.2.0", "192.0.2.1"), "", List.of(), List.of()));
  }

  @Test
  void commentsAndLinesOfOneWordAreSkipped() {
    assertThat(
            ResolvConf.parse(
                "# made by hand\n  ; also\n\n nameserver\nnameserver 192.0.2.0 # the first\r\n#nameserver 192.0.2.1\n;nameserver 192.0.2.2"))
        .isEqualTo(new Dns(List.of("192.0.2.0"), "", List.of(), List.of()));
  }

  @Test
  void everyField() {
    assertThat(
            ResolvConf.parse(
                "nameserver 192.0.2.0\ndomain old.example\ndomain example.com\nsearch a.example b.example\nsearch\tc.example\noptions one two\noptions three\nsortlist 10.0.0.0\n"))
        .isEqualTo(
            new Dns(
                List.of("192.0.2.0"),
                "example.com",
                List.of("a.example", "b.example", "c.example"),
                List.of("one", "two", "three")));
  }

  @Test
  void nothingIsNothing() {
    assertThat(ResolvConf.parse("")).isEqualTo(Dns.NONE);
  }
}
