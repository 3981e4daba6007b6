package io.ocicat.datastore.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database file: its permissions, and errors when it is damaged, locked or replaced. */
class EmbeddedFileTest {
  @TempDir Path root;

  private Path directory() {
    return root.resolve("state");
  }

  private Path file() {
    return directory().resolve("datastore.db");
  }

  @Test
  void nobodyElseMayReadIt() throws IOException {
    try (EmbeddedStore store = EmbeddedStore.open(directory());
        KeyValueWatch watch = store.watch("/", 1)) {
      store.commit(Transaction.put("/a", "1"));
      watch.next(Duration.ZERO);
      List<Path> all = new ArrayList<>();
      try (Stream<Path> walk = Files.walk(directory())) {
        all.addAll(walk.toList());
      }
      assertThat(all).hasSizeGreaterThanOrEqualTo(5);
      for (Path path : all) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
            .as(path.toString())
            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
      }
    }
  }

  @Test
  void whatIsNoDatabaseIsLeftAlone() throws IOException {
    Files.createDirectories(directory());
    Files.writeString(file(), "This is my diary. ".repeat(500));

    assertThatThrownBy(() -> EmbeddedStore.open(directory()))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("is not a datastore: move it away")
        .message()
        .doesNotContain("\n");
    assertThat(file()).content().startsWith("This is my diary.");
  }

  @Test
  void theDatabaseOfSomethingElseIsLeftAlone() throws Exception {
    Files.createDirectories(directory());
    execute("CREATE TABLE diary (day TEXT)");

    assertThatThrownBy(() -> EmbeddedStore.open(directory()))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("is a database of something else");
  }

  @Test
  void aNewerFormatIsRefused() throws Exception {
    EmbeddedStore.open(directory()).close();
    execute("PRAGMA user_version = 99");

    assertThatThrownBy(() -> EmbeddedStore.open(directory()))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("format 99")
        .hasMessageContaining("update ocicat");
  }

  @Test
  void damageIsFoundAndReported() throws Exception {
    try (EmbeddedStore store = EmbeddedStore.open(directory())) {
      for (int i = 0; i < 500; i++) {
        store.commit(Transaction.put("/key/" + i, "value ".repeat(50)));
      }
      assertThat(store.check()).isEmpty();
    }
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      for (long page = 5; page < 25; page++) {
        raw.seek(page * 4096 + 100);
        raw.write(new byte[3000]);
      }
    }
    try (EmbeddedStore store = EmbeddedStore.open(directory())) {
      List<String> found = new ArrayList<>();
      try {
        found.addAll(store.check());
      } catch (CorruptException e) {
        found.add(String.valueOf(e.getMessage()));
      }
      assertThat(found).isNotEmpty().allSatisfy(line -> assertThat(line).doesNotContain("\n"));
    }
  }

  @Test
  void rowsThatContradictEachOtherAreFound() throws Exception {
    try (EmbeddedStore store = EmbeddedStore.open(directory())) {
      store.commit(Transaction.put("/a", "1"));
      store.commit(Transaction.put("/a", "2"));
      store.commit(Transaction.put("/b", "1"));
    }
    execute("DELETE FROM entry WHERE id = 3 * 256");
    execute("UPDATE entry SET created = 99 WHERE key = '/b'");

    try (EmbeddedStore store = EmbeddedStore.open(directory())) {
      assertThat(store.check())
          .containsExactlyInAnyOrder(
              "/a at revision 2 was replaced by something that is not there",
              "/b at revision 4 was written before its key was created");
    }
  }

  @Test
  void aLockThatIsHeldForTooLongIsReported() throws Exception {
    EmbeddedSettings impatient = EmbeddedSettings.standard().timeout(Duration.ofMillis(50));
    try (EmbeddedStore store = EmbeddedStore.open(directory(), impatient);
        Connection other = connect();
        Statement statement = other.createStatement()) {
      store.commit(Transaction.put("/a", "1"));
      statement.execute("BEGIN IMMEDIATE");

      assertThatThrownBy(() -> store.commit(Transaction.put("/a", "2")))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("locked by another process");
      assertThat(store.get("/a")).isPresent();

      statement.execute("ROLLBACK");
      store.commit(Transaction.put("/a", "3"));
    }
  }

  @Test
  void aFullDiskLosesNothingAndAReadOnlyOneIsReported() {
    String java =
        String.join(" ", ChildJvm.command().argv().stream().map(a -> "'" + a + "'").toList());
    String script =
        """
        set -e
        mount -t tmpfs -o size=3m,mode=700 tmpfs %1$s
        %2$s fill %1$s/store
        mount -o remount,size=32m %1$s
        %2$s put %1$s/store
        mount -o remount,ro %1$s
        %2$s put %1$s/store
        """
            .formatted(root, java);
    List<String> lines =
        Command.of("unshare", "--mount", "--propagation", "private", "sh", "-c", script)
            .limit(Duration.ofMinutes(2))
            .run()
            .stdout()
            .lines()
            .toList();

    assertThat(lines).hasSize(5);
    assertThat(lines.get(0))
        .startsWith("UnavailableException: datastore ")
        .contains("the disk or the quota is full");
    assertThat(lines.subList(1, 4))
        .containsExactly("committed before are there: true", "refused is not: true", "done");
    assertThat(lines.get(4)).contains("read-only").doesNotContain("Exception: org.sqlite");
  }

  /** Review R1: not only the next process but also this one continues when there is room again. */
  @Test
  void whatKeptAnOpenDatastoreFromWritingIsForgottenWhenItHasGone() {
    Map<String, List<String>> faults =
        Map.of(
            "the disk or the quota is full",
            List.of(
                "dd if=/dev/zero of=%s/filler bs=1k 2>/dev/null || true".formatted(root),
                "rm %s/filler".formatted(root)),
            // As chattr +i has it on ext4, and on any file system: writes are errors.
            "failed (SQLITE_IOERR)",
            List.of("prlimit --fsize=1024: --pid $PPID", "prlimit --fsize=unlimited: --pid $PPID"));
    faults.forEach(
        (words, fault) -> {
          List<String> argv =
              ChildJvm.command("outlive", root + "/store", fault.get(0), fault.get(1)).argv();
          String script =
              "mount -t tmpfs -o size=3m,mode=700 tmpfs %s && exec '%s'"
                  .formatted(root, String.join("' '", argv));
          List<String> lines =
              Command.of("unshare", "--mount", "--propagation", "private", "sh", "-c", script)
                  .limit(Duration.ofMinutes(2))
                  .run()
                  .stdout()
                  .lines()
                  .toList();

          assertThat(lines).as(words).hasSize(8);
          assertThat(lines.getFirst()).isEqualTo("Optional.empty");
          assertThat(lines.subList(1, 5)).allSatisfy(line -> assertThat(line).contains(words));
          assertThat(lines.get(4)).startsWith("Optional[datastore ");
          assertThat(lines.subList(5, 8)).containsExactly("Optional.empty", "done", "true");
        });
  }

  /** Review R17: SQLite itself would continue with files that nobody else sees. */
  @Test
  void aFileThatIsDeletedOrReplacedUnderAnOpenDatastoreIsNoticed() throws IOException {
    Path copy = root.resolve("copy");
    EmbeddedStore.open(directory()).close();
    Files.copy(file(), copy);
    try (EmbeddedStore store = EmbeddedStore.open(directory())) {
      store.commit(Transaction.put("/a", "1"));
      assertThat(store.get("/a")).isPresent();
      for (String name : List.of("datastore.db", "datastore.db-wal", "datastore.db-shm")) {
        Files.deleteIfExists(directory().resolve(name));
      }
      assertThatThrownBy(() -> store.get("/a"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("was deleted while it was in use");
      assertThatThrownBy(() -> store.commit(Transaction.put("/a", "2")))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("put a copy in its place");
      assertThat(store.writeProblem()).get().asString().contains("was deleted");
      assertThat(file()).doesNotExist();

      Files.move(copy, file());
      assertThat(store.writeProblem()).isEmpty();
      assertThat(store.get("/a")).isEmpty();
      store.commit(Transaction.put("/a", "3"));
      assertThat(store.get("/a")).isPresent();
      assertThat(store.check()).isEmpty();
    }
  }

  /** A writer may be killed between its commit and the notification. */
  @Test
  void aChangeWithoutNotificationIsSeenNevertheless() throws Exception {
    try (EmbeddedStore store = EmbeddedStore.open(directory());
        KeyValueWatch watch = store.watch("/", 2)) {
      assertThat(watch.next(Duration.ZERO).events()).isEmpty();
      execute("INSERT INTO entry VALUES (2 * 256, 0, 2, 0, '/silent', '')");

      assertThat(watch.next(Duration.ofSeconds(20)).events())
          .extracting(KeyValueEvent::key)
          .containsExactly("/silent");
    }
  }

  @Test
  void historyIsCutOffByItself() {
    EmbeddedSettings brief = EmbeddedSettings.standard().history(100);
    try (EmbeddedStore store = EmbeddedStore.open(directory(), brief)) {
      for (int i = 0; i < 700; i++) {
        store.commit(
            i % 7 == 3
                ? Transaction.delete("/key/" + (i - 1) % 10)
                : Transaction.put("/key/" + i % 10, "v" + i));
      }
      long head = store.range(RangeQuery.all("")).revision();

      assertThat(store.range(RangeQuery.all("").at(head - 100))).isNotNull();
      assertThatThrownBy(() -> store.range(RangeQuery.all("").at(head - 400)))
          .isInstanceOf(CompactedException.class);
      assertThat(count()).isLessThan(400);
      assertThat(store.check()).isEmpty();
      try (KeyValueWatch watch = store.watch("/", 2)) {
        assertThatThrownBy(() -> watch.next(Duration.ZERO)).isInstanceOf(CompactedException.class);
      }
    }
  }

  private long count() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM entry")) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + file());
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
