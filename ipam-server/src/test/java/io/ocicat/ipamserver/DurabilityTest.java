package io.ocicat.ipamserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ocicat.ipamserver.TestServer.Got;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Nothing that was confirmed is lost, and no address is allocated twice. */
class DurabilityTest {
  private static final String POOLS =
      "{\"pools\":[{\"name\":\"mynet\",\"ranges\":[{\"subnet\":\"10.9.0.0/24\"}]}]}";

  @TempDir private Path directory;
  private TestServer server;

  @BeforeEach
  void start() {
    server = new TestServer(directory, POOLS);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aRestartKeepsAllocationsLeasesAndRests() {
    Got first = server.allocate("c1");
    server.allocate("c2", "'leaseSeconds': 60");
    server.allocate("c3");
    server.release("c3");

    server.restart();

    assertThat(server.get("/v1/allocations/mynet/c1/eth0").body()).isEqualTo(first.body());
    assertThat(server.allocate("c1").status()).isEqualTo(200);
    assertThat(server.allocate("c4").ip()).isEqualTo("10.9.0.5/24");
    assertThat(server.get("/v1/health").body().at("/pools/0").toString())
        .isEqualTo(
            "{\"name\":\"mynet\",\"family\":\"ipv4\",\"capacity\":253,\"used\":3,\"resting\":1}");
    server.pass(Duration.ofSeconds(60));
    server.restart();
    assertThat(server.get("/v1/allocations/mynet/c2/eth0").status()).isEqualTo(404);
    assertThat(server.get("/v1/health").body().at("/pools/0/used").asInt()).isEqualTo(2);
  }

  @Test
  void idsAreNeverUsedAgain() {
    server.allocate("c1");
    server.release("c1");
    server.restart();
    assertThat(server.allocate("c1").body().path("id").asString()).isEqualTo("a-2");
    assertThat(server.post("/v1/allocations/a-1/renew", "{\"leaseSeconds\":1}").status())
        .isEqualTo(410);
  }

  @Test
  void manyAtOnceNeverShareAnAddress() throws Exception {
    List<Future<Got>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 300; i++) {
        // Each container is requested twice, as by a runtime that retries.
        String id = "c" + i / 2;
        asked.add(threads.submit(() -> server.allocate(id)));
      }
    }
    List<String> ips = new ArrayList<>();
    for (int i = 0; i < 300; i += 2) {
      Got one = asked.get(i).get();
      Got other = asked.get(i + 1).get();
      assertThat(one.body()).isEqualTo(other.body());
      assertThat(List.of(one.status(), other.status())).containsExactlyInAnyOrder(200, 201);
      ips.add(one.ip());
    }
    assertThat(ips).doesNotHaveDuplicates().hasSize(150);
  }

  @Test
  void allocatingAndReleasingAtOnceLeavesWhatIsLeft() throws Exception {
    List<Future<String>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 60; i++) {
        String id = "c" + i;
        boolean goes = i % 3 == 0;
        asked.add(
            threads.submit(
                () -> {
                  String ip = server.allocate(id).ip();
                  if (goes) {
                    server.release(id);
                  }
                  return goes ? "" : ip;
                }));
      }
    }
    List<String> kept = new ArrayList<>();
    for (Future<String> each : asked) {
      if (!each.get().isEmpty()) {
        kept.add(each.get());
      }
    }
    List<String> listed = new ArrayList<>();
    for (JsonNode item : server.get("/v1/allocations").body().path("items")) {
      listed.add(item.at("/addresses/0/address").asString());
    }
    assertThat(listed).containsExactlyInAnyOrderElementsOf(kept).doesNotHaveDuplicates();
  }

  @Test
  void poolsMayChangeUnderAllocations() {
    String old = server.allocate("c1").ip();
    server.allocate("c2");
    server.write(
        "pools.json",
        "{\"cooldownSeconds\":0,\"pools\":[{\"name\":\"mynet\",\"ranges\":[{\"subnet\":\"10.9.0.0/24\","
            + "\"exclude\":[\"%s\"]}]}]}".formatted(old.replace("/24", "")));
    server.restart();

    assertThat(server.allocate("c1").ip()).isEqualTo(old);
    server.release("c1");
    server.release("c2");
    assertThat(server.allocate("c3", "'requestedIPs': ['10.9.0.3']").status()).isEqualTo(201);
    assertThat(server.allocate("c4", "'requestedIPs': ['10.9.0.2']").status())
        .as("excluded since")
        .isEqualTo(400);

    server.write(
        "pools.json",
        "{\"pools\":[{\"name\":\"mynet2\",\"ranges\":[{\"subnet\":\"10.7.0.0/24\"}]}]}");
    server.restart();
    assertThat(server.release("c3").status()).as("its pool is gone").isEqualTo(204);
    assertThat(server.get("/v1/allocations").body().path("items")).isEmpty();
  }

  @Test
  void aRangeThatMovesToAnotherPoolKeepsItsAllocations() {
    String kept = server.allocate("c1").ip();
    server.allocate("c2");
    server.release("c2");
    server.write(
        "pools.json",
        "{\"cooldownSeconds\":0,\"pools\":[{\"name\":\"renamed\",\"networks\":[\"mynet\"],"
            + "\"ranges\":[{\"subnet\":\"10.9.0.0/24\"}]}]}");
    server.restart();

    assertThat(server.get("/v1/health").body().at("/pools/0").toString())
        .isEqualTo(
            "{\"name\":\"renamed\",\"family\":\"ipv4\",\"capacity\":253,\"used\":1,\"resting\":1}");
    assertThat(server.allocate("c3", "'requestedIPs': ['10.9.0.2']").error())
        .isEqualTo("address_in_use");
    assertThat(server.allocate("c4", "'requestedIPs': ['10.9.0.3']").status())
        .as("it rests under the old name")
        .isEqualTo(201);
    server.pass(Duration.ofSeconds(60));
    assertThat(server.allocate("c5", "'requestedIPs': ['10.9.0.3']").error())
        .as("the end of the rest does not take it away")
        .isEqualTo("address_in_use");
    assertThat(server.allocate("c1").ip()).isEqualTo(kept);
    server.release("c1");
    assertThat(server.allocate("c6", "'requestedIPs': ['10.9.0.2']").status()).isEqualTo(201);
  }

  @Test
  void nobodyElseCanReadTheDatabase() throws IOException {
    for (String file : List.of("ipam.db", "ipam.db-wal", "ipam.db.lock")) {
      assertThat(
              PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(file))))
          .as(file)
          .isEqualTo("rw-------");
    }
  }

  @Test
  void aDatabaseHasOneServer() {
    IpamServerException refusal =
        assertThrows(IpamServerException.class, () -> new TestServer(directory, POOLS));
    assertThat(refusal.getMessage())
        .isEqualTo(
            "the database %s belongs to another ipam-server that is running"
                .formatted(directory.resolve("ipam.db")));
    assertThat(server.allocate("c1").status()).isEqualTo(201);
  }

  @Test
  void aDatabaseThatCannotBeWrittenIsAPassingFailure() throws SQLException {
    String first = server.allocate("c1").ip();
    try (Connection other =
            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ipam.db"));
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN EXCLUSIVE");
      Got refused = server.allocate("c2");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.error()).isEqualTo("unavailable");
      assertThat(refused.body().at("/error/retryable").asBoolean()).isTrue();
      statement.execute("ROLLBACK");
    }
    assertThat(server.allocate("c2").ip()).isEqualTo("10.9.0.3/24").isNotEqualTo(first);
  }

  @Test
  void aFileThatIsNotOurDatabaseIsRejected() throws Exception {
    server.stop();
    Path db = directory.resolve("ipam.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA user_version = 99");
    }
    assertThat(assertThrows(IpamServerException.class, server::restart).getMessage())
        .contains("has schema 99, this ocicat knows 1");
    Files.writeString(db, "this is not a database, whatever its name says".repeat(100));
    assertThat(assertThrows(IpamServerException.class, server::restart).getMessage())
        .startsWith("cannot open the database " + db);
    Files.delete(db);
    server.restart();
    assertThat(server.allocate("c1").status()).isEqualTo(201);
  }
}
