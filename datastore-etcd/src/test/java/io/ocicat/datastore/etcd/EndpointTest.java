package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.InvalidException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

  @Test
  void aUrlIsSchemeHostAndPort() {
    assertThat(Endpoint.parse("https://10.0.0.1:2379"))
        .isEqualTo(new Endpoint(true, "10.0.0.1", 2379));
    assertThat(Endpoint.parse("http://etcd-0.example:2379/"))
        .isEqualTo(new Endpoint(false, "etcd-0.example", 2379));
    assertThat(Endpoint.parse("https://[fd00::1]:2379"))
        .isEqualTo(new Endpoint(true, "fd00::1", 2379))
        .hasToString("https://[fd00::1]:2379");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0.1:2379",
        "ftp://10.0.0.1:2379",
        "http://10.0.0.1",
        "http://10.0.0.1:0",
        "http://10.0.0.1:65536",
        "http://:2379",
        "http://10.0.0.1:2379/v3",
        "http://a b:1",
        "http://user@10.0.0.1:2379",
        "http://10.0.0.1:2379?x"
      })
  void anythingElseIsRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> Endpoint.parse(text))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining('"' + text + '"')
        .hasMessageContaining("https://10.0.0.1:2379");
  }
}
