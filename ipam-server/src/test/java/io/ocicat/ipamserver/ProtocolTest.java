package io.ocicat.ipamserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ipamserver.TestServer.Got;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The guarantees of the protocol to clients. */
class ProtocolTest {
  private static final String POOLS =
      """
      {"pools": [
        {"name": "blue", "networks": ["mynet"],
         "ranges": [{"subnet": "10.9.0.0/29", "exclude": ["10.9.0.4"]}],
         "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]},
        {"name": "both",
         "ranges": [{"subnet": "10.8.0.0/24", "gateway": "10.8.0.254", "rangeStart": "10.8.0.10"},
                    {"subnet": "fd00:8::/64", "gateway": "none"}],
         "routes": [{"dst": "0.0.0.0/0", "gw": "10.8.0.254"}, {"dst": "::/0"}],
         "dns": {"nameservers": ["10.8.0.2"], "search": ["example.org"]}}
      ]}
      """;

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
  void anAllocationIsMadeOnceAndRepeatedAsOftenAsItIsAskedFor() {
    Got first = server.allocate("c1");
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.ip()).isEqualTo("10.9.0.2/29");
    assertThat(first.body().at("/addresses/0/gateway").asString()).isEqualTo("10.9.0.1");
    assertThat(first.body().at("/routes").toString()).isEqualTo("[{\"dst\":\"0.0.0.0/0\"}]");
    assertThat(first.body().at("/expiresAt").isNull()).isTrue();

    for (int i = 0; i < 3; i++) {
      Got again = server.allocate("c1", "'unknown': 'to us'");
      assertThat(again.status()).isEqualTo(200);
      assertThat(again.body()).isEqualTo(first.body());
    }
    assertThat(server.get("/v1/allocations/mynet/c1/eth0").body()).isEqualTo(first.body());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'node': 'n2'",
        "'pool': 'blue'",
        "'leaseSeconds': 60",
        "'requestedIPs': ['10.9.0.2']",
        "'families': ['ipv4']",
        "'pod': {'name': 'web-0'}"
      })
  void anotherRequestForTheSameAttachmentIsRefused(String difference) {
    server.allocate("c1");
    Got other = server.allocate("c1", difference);
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.error()).isEqualTo("idempotency_mismatch");
    assertThat(other.message()).contains("allocation a-1", "release it first");
  }

  @Test
  void interfacesOfAContainerAndNetworksAreApart() {
    String other =
        "{\"network\":\"%s\",\"containerId\":\"c1\",\"ifName\":\"%s\",\"pool\":\"both\"}";
    server.allocate("c1");
    assertThat(
            server
                .post("/v1/allocations", other.formatted("othernet", "eth0"))
                .body()
                .at("/id")
                .asString())
        .isEqualTo("a-2");
    assertThat(
            server
                .post("/v1/allocations", other.formatted("othernet", "eth1"))
                .body()
                .at("/id")
                .asString())
        .isEqualTo("a-3");
  }

  @Test
  void addressesAreHandedOutInTurnAndRestAfterwards() {
    List<String> ips = new ArrayList<>();
    for (String id : List.of("c1", "c2", "c3", "c4")) {
      ips.add(server.allocate(id).ip());
    }
    assertThat(ips).containsExactly("10.9.0.2/29", "10.9.0.3/29", "10.9.0.5/29", "10.9.0.6/29");

    Got full = server.allocate("c5");
    assertThat(full.status()).isEqualTo(409);
    assertThat(full.error()).isEqualTo("exhausted");
    assertThat(full.message())
        .isEqualTo("no free ipv4 address in pool \"blue\": 4 of 4 in use, 0 resting after release");
    assertThat(full.body().at("/error/retryable").asBoolean()).isFalse();

    assertThat(server.release("c2").status()).isEqualTo(204);
    assertThat(server.release("c2").status()).isEqualTo(204);
    Got resting = server.allocate("c5");
    assertThat(resting.message()).contains("3 of 4 in use, 1 resting");
    assertThat(resting.body().at("/error/retryable").asBoolean()).isTrue();

    server.pass(Duration.ofSeconds(30));
    assertThat(server.allocate("c5").ip()).isEqualTo("10.9.0.3/29");
  }

  @Test
  void aContainerThatComesBackHasANewAllocation() {
    assertThat(server.allocate("c1").ip()).isEqualTo("10.9.0.2/29");
    server.release("c1");
    Got again = server.allocate("c1");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.ip()).isEqualTo("10.9.0.3/29");
    assertThat(again.body().at("/id").asString()).isEqualTo("a-2");
  }

  @Test
  void anAddressCanBeAskedForEvenWhileItRests() {
    assertThat(server.allocate("c1", "'requestedIPs': ['10.9.0.6']").ip()).isEqualTo("10.9.0.6/29");
    Got taken = server.allocate("c2", "'requestedIPs': ['10.9.0.6']");
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.error()).isEqualTo("address_in_use");

    server.release("c1");
    assertThat(server.allocate("c2", "'requestedIPs': ['10.9.0.6']").ip()).isEqualTo("10.9.0.6/29");
    server.pass(Duration.ofMinutes(1));
    assertThat(server.allocate("c3", "'requestedIPs': ['10.9.0.6']").error())
        .isEqualTo("address_in_use");
  }

  @ParameterizedTest
  @CsvSource({
    "10.9.0.0,not an address that pool \"blue\" allocates",
    "10.9.0.1,not an address that pool",
    "10.9.0.4,not an address that pool",
    "10.9.0.7,not an address that pool",
    "10.10.0.1,not an address that pool",
  })
  void addressesOutsideTheRangesAreRejected(String ip, String message) {
    Got refused = server.allocate("c1", "'requestedIPs': ['%s']".formatted(ip));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.message()).contains(ip, message);
    assertThat(server.allocate("c1", "'families': ['ipv6']").message())
        .isEqualTo("pool \"blue\" has no ipv6 addresses");
  }

  @Test
  void bothFamilies() {
    JsonNode both = server.allocate("c1", "'network': 'any', 'pool': 'both'").body();
    assertThat(both.at("/addresses").toString())
        .isEqualTo(
            "[{\"address\":\"10.8.0.10/24\",\"gateway\":\"10.8.0.254\"},{\"address\":\"fd00:8::1/64\"}]");
    assertThat(both.at("/routes")).hasSize(2);
    assertThat(both.at("/dns/search/0").asString()).isEqualTo("example.org");
    JsonNode one =
        server.allocate("c2", "'network': 'any', 'pool': 'both', 'families': ['ipv6']").body();
    assertThat(one.at("/addresses")).hasSize(1);
    assertThat(one.at("/routes").toString()).isEqualTo("[{\"dst\":\"::/0\"}]");
    JsonNode named =
        server
            .allocate(
                "c3",
                "'network': 'any', 'pool': 'both', 'requestedIPs': ['fd00:8::7', '10.8.0.77']")
            .body();
    assertThat(named.at("/addresses/0/address").asString()).isEqualTo("10.8.0.77/24");
    assertThat(named.at("/addresses/1/address").asString()).isEqualTo("fd00:8::7/64");
  }

  @Test
  void anAllocationIsMadeWholeOrNotAtAll() {
    Got first =
        server.allocate(
            "c1", "'network': 'any', 'pool': 'both', 'requestedIPs': ['10.8.0.20', 'fd00:8::5']");
    assertThat(first.status()).isEqualTo(201);
    Got half =
        server.allocate(
            "c2", "'network': 'any', 'pool': 'both', 'requestedIPs': ['10.8.0.21', 'fd00:8::5']");
    assertThat(half.error()).isEqualTo("address_in_use");
    assertThat(
            server
                .allocate("c3", "'network': 'any', 'pool': 'both', 'requestedIPs': ['10.8.0.21']")
                .status())
        .isEqualTo(201);
  }

  @Test
  void theNetworkDecidesAboutThePool() {
    assertThat(server.allocate("c1", "'network': 'both'").body().at("/pool").asString())
        .isEqualTo("both");
    Got none = server.allocate("c2", "'network': 'nobodys'");
    assertThat(none.status()).isEqualTo(404);
    assertThat(none.message()).contains("no pool serves network \"nobodys\"", "name one");
    Got forbidden = server.allocate("c3", "'network': 'both', 'pool': 'blue'");
    assertThat(forbidden.status()).isEqualTo(403);
    assertThat(forbidden.message()).isEqualTo("pool \"blue\" does not serve network \"both\"");
    assertThat(server.allocate("c4", "'pool': 'green'").message())
        .isEqualTo("there is no pool \"green\"");
  }

  @Test
  void aLeaseEndsUnlessItIsRenewed() {
    Got lease = server.allocate("c1", "'leaseSeconds': 60");
    assertThat(lease.body().at("/expiresAt").asString()).isEqualTo("2026-01-05T10:01:00Z");
    server.pass(Duration.ofSeconds(59));
    Got renewed = server.post("/v1/allocations/a-1/renew", "{\"leaseSeconds\":120}");
    assertThat(renewed.status()).isEqualTo(200);
    assertThat(renewed.body().at("/expiresAt").asString()).isEqualTo("2026-01-05T10:02:59Z");
    assertThat(renewed.ip()).isEqualTo("10.9.0.2/29");
    server.pass(Duration.ofSeconds(119));
    assertThat(server.get("/v1/allocations/mynet/c1/eth0").status()).isEqualTo(200);
    server.pass(Duration.ofSeconds(1));
    assertThat(server.get("/v1/allocations/mynet/c1/eth0").status()).isEqualTo(404);
    Got late = server.post("/v1/allocations/a-1/renew", "{\"leaseSeconds\":120}");
    assertThat(late.status()).isEqualTo(410);
    assertThat(late.error()).isEqualTo("expired");
    assertThat(server.get("/v1/health").body().at("/pools/0/resting").asInt()).isEqualTo(1);
    server.pass(Duration.ofSeconds(30));
    assertThat(server.get("/v1/health").body().at("/pools/0/resting").asInt()).isZero();
  }

  @Test
  void onlyTheIncarnationThatWasMeantIsReleased() {
    server.allocate("c1");
    server.release("c1");
    server.allocate("c1");
    Got stale = server.delete("/v1/allocations/mynet/c1/eth0?allocationId=a-1");
    assertThat(stale.status()).isEqualTo(404);
    assertThat(stale.error()).isEqualTo("stale");
    assertThat(server.delete("/v1/allocations/mynet/c1/eth0?allocationId=a-2").status())
        .isEqualTo(204);
    assertThat(server.delete("/v1/allocations/mynet/c1/eth0?allocationId=a-2").status())
        .isEqualTo(204);
  }

  @Test
  void aListHasPagesAndFilters() {
    for (int i = 1; i <= 4; i++) {
      server.allocate("c" + i, "'node': 'n%d'".formatted(i % 2));
    }
    List<String> ids = new ArrayList<>();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page = server.get("/v1/allocations?limit=3&cursor=" + cursor).body();
      page.path("items").forEach(item -> ids.add(item.path("id").asString()));
      cursor = page.path("nextCursor").asString();
      pages++;
    } while (!cursor.isEmpty());
    assertThat(ids).containsExactly("a-1", "a-2", "a-3", "a-4");
    assertThat(pages).isEqualTo(2);
    assertThat(server.get("/v1/allocations?node=n1").body().path("items")).hasSize(2);
    assertThat(server.get("/v1/allocations?network=mynet&containerId=c2").body().path("items"))
        .hasSize(1);
    assertThat(server.get("/v1/allocations?network=other").body().path("items")).isEmpty();
  }

  @Test
  void gcReleasesWhatANodeDoesNotUseAnyMore() {
    server.allocate("used");
    server.allocate("gone");
    server.allocate("elsewhere", "'node': 'n2'");
    server.allocate("other", "'network': 'both'");

    Got got =
        server.post(
            "/v1/gc",
            "{\"network\":\"mynet\",\"node\":\"n1\",\"valid\":[{\"containerId\":\"used\",\"ifName\":\"eth0\"},"
                + "{\"containerId\":\"gone\",\"ifName\":\"eth1\"}]}");

    assertThat(got.body().path("released").asInt()).isEqualTo(1);
    assertThat(server.get("/v1/allocations").body().path("items"))
        .extracting(item -> item.path("containerId").asString())
        .containsExactly("used", "elsewhere", "other");
    assertThat(server.post("/v1/gc", "{\"network\":\"mynet\",\"node\":\"n1\"}").message())
        .isEqualTo("valid is missing");
  }

  @Test
  void theIdempotencyKeyIsOptionalButNotAnything() {
    Got refused =
        server.send(
            server
                .request("/v1/allocations")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "abc")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"network\":\"mynet\",\"containerId\":\"c1\",\"ifName\":\"eth0\"}")));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.message())
        .contains(new AllocationKey("mynet", "c1", "eth0").digest(), "SHA-256");
  }

  @Test
  void oddNamesArePercentEncoded() {
    assertThat(server.allocate("c1", "'ifName': 'ü+&?#'").status()).isEqualTo(201);
    assertThat(server.get("/v1/allocations/mynet/c1/%C3%BC%2B%26%3F%23").status()).isEqualTo(200);
    assertThat(server.get("/v1/allocations/mynet/c1/%C3%BC+%26%3F%23").status()).isEqualTo(200);
    assertThat(server.delete("/v1/allocations/mynet/c1/%C3%BC%2B%26%3F%23").status())
        .isEqualTo(204);
    assertThat(server.get("/v1/allocations").body().path("items")).isEmpty();
  }
}
