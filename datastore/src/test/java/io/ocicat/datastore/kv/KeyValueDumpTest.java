package io.ocicat.datastore.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.ExistsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyValueDumpTest {
  @TempDir Path directory;
  private EmbeddedStore from;
  private EmbeddedStore to;

  @BeforeEach
  void open() {
    from = EmbeddedStore.open(directory.resolve("from"));
    to = EmbeddedStore.open(directory.resolve("to"));
  }

  @AfterEach
  void close() {
    from.close();
    to.close();
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    for (int i = 0; i < 12; i++) {
      List<Change> together = new ArrayList<>();
      for (int j = 0; j < 100; j++) {
        together.add(
            new Change.Put("/calico/%02d-%02d\n\"é".formatted(i, j), "v<" + j + ">\u2028"));
      }
      from.commit(new Transaction(List.of(), together));
    }
    from.commit(Transaction.put("/calico/large", "x".repeat(3 << 20)));
    from.commit(Transaction.put("/other", ""));
    StringWriter text = new StringWriter();

    assertThat(KeyValueDump.write(from, "/calico/", text)).isEqualTo(1201);
    assertThat(read(text.toString())).isEqualTo(1201);

    assertThat(contents(to)).isEqualTo(contents(from)).hasSize(1201);
    assertThat(to.get("/other")).isEmpty();
  }

  private static List<String> contents(KeyValueStore store) {
    return store.range(RangeQuery.all("/calico/")).entries().stream()
        .map(entry -> entry.key() + "=" + entry.value())
        .toList();
  }

  @Test
  void nothingIsOverwritten() throws IOException {
    from.commit(Transaction.put("/calico/a", "new"));
    from.commit(Transaction.put("/calico/b", "new"));
    to.commit(Transaction.put("/calico/b", "old"));
    StringWriter text = new StringWriter();
    KeyValueDump.write(from, "", text);

    assertThatThrownBy(() -> read(text.toString()))
        .isInstanceOf(ExistsException.class)
        .hasMessageContaining("/calico/b");
    assertThat(to.get("/calico/a")).isEmpty();
    assertThat(to.get("/calico/b")).map(KeyValue::value).contains("old");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}\n",
        "hello\n",
        "{\"format\":\"ocicat-datastore\",\"version\":2}\n",
        "{\"format\":\"ocicat-datastore\",\"version\":1}\n",
        "{\"format\":\"ocicat-datastore\",\"version\":1}\n{\"key\":\"/a\",\"value\":\"1\"}\n",
        "{\"format\":\"ocicat-datastore\",\"version\":1}\n{\"key\":\"/a\",\"val",
        "{\"format\":\"ocicat-datastore\",\"version\":1}\n{\"key\":\"/a\"}\n{\"keys\":1}\n",
        "{\"format\":\"ocicat-datastore\",\"version\":1}\n{\"key\":\"/a\",\"value\":\"1\"}\n{\"keys\":2}\n",
      })
  void whatIsNotAWholeDumpChangesNothing(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(CorruptException.class);
    assertThat(to.range(RangeQuery.all("")).revision()).isEqualTo(1);
  }

  private int read(String text) throws IOException {
    return KeyValueDump.read(new BufferedReader(new StringReader(text)), to);
  }
}
