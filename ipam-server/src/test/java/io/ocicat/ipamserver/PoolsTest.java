package io.ocicat.ipamserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolsTest {
  @TempDir private Path directory;

  @Test
  void theDefaultsAreThoseOfHostLocal() throws IOException {
    Pools pools = read("{'pools':[{'name':'blue','ranges':[{'subnet':'10.9.0.0/24'}]}]}");
    PoolRange range = pools.all().getFirst().ranges().getFirst();
    assertThat(range.first()).hasToString("10.9.0.1");
    assertThat(range.last()).hasToString("10.9.0.254");
    assertThat(range.gateway()).hasToString("10.9.0.1");
    assertThat(range.addresses().isFree(IpAddress.parse("10.9.0.1"))).isFalse();
    assertThat(range.addresses().count()).isEqualTo(253);
    assertThat(pools.rest()).isEqualTo(Duration.ofSeconds(30));
    PoolRange v6 =
        read("{'pools':[{'name':'six','ranges':[{'subnet':'fd00::/126','gateway':'none'}]}]}")
            .all()
            .getFirst()
            .ranges()
            .getFirst();
    assertThat(v6).hasToString("fd00::1–fd00::3");
    assertThat(v6.gateway()).isNull();
  }

  @Test
  void everythingCanBeSaid() throws IOException {
    Pool pool =
        read("{'cooldownSeconds':0,'pools':[{'name':'blue','networks':['a','b'],'ranges':[{'subnet':'10.9.0.0/16',"
                + "'rangeStart':'10.9.1.0','rangeEnd':'10.9.1.255','gateway':'10.9.1.7',"
                + "'exclude':['10.9.1.0/25','10.9.1.200','10.9.77.0/24']},{'subnet':'10.9.0.0/16',"
                + "'rangeStart':'10.9.2.0','rangeEnd':'10.9.2.9'}],"
                + "'routes':[{'dst':'0.0.0.0/0'}],'dns':{'domain':'example.org'}}]}")
            .all()
            .getFirst();
    assertThat(pool.ranges().getFirst().addresses().count()).isEqualTo(128 - 1);
    assertThat(pool.families()).containsExactly(AddressFamily.IPV4);
    assertThat(pool.networks()).containsExactlyInAnyOrder("a", "b");
    assertThat(pool.dns().domain()).isEqualTo("example.org");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{}                                         | pools must have at least one pool",
        "{'pools':{}}                               | pools must be a list, not an object",
        "{'pools':[{'ranges':[]}]}                  | pools[0].name is missing",
        "{'pools':[{'name':''}]}                    | pools[0].name must not be empty",
        "{'pools':[{'name':'a'}]}                   | pools[0].ranges must have at least one range",
        "{'pools':[{'name':'a','ranges':[{}]}]}     | pools[0].ranges[0].subnet is missing",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/33'}]}]} | pools[0].ranges[0].subnet",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.1/24'}]}]} | has host bits",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/31'}]}]} | has no room",
        "{'pools':[{'name':'a','ranges':[{'subnet':'fd00::/127'}]}]}  | has no room",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','rangeStart':'10.0.0.0'}]}]} | rangeStart must be an address from 10.0.0.1 to 10.0.0.254",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','rangeEnd':'10.0.0.255'}]}]} | rangeEnd must be an address",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','rangeStart':'10.0.0.9','rangeEnd':'10.0.0.8'}]}]} | rangeEnd 10.0.0.8 is before rangeStart 10.0.0.9",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','gateway':'10.1.0.1'}]}]} | gateway must be an address",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','gateway':'fd00::1'}]}]}  | gateway must be an address",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','gateway':7}]}]}          | gateway must be a string, not 7",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','exclude':['10.1.0.0/16']}]}]} | exclude[0] must lie in 10.0.0.0/24",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24','exclude':['x']}]}]} | exclude[0] \"x\" is not an IP address",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24'}],'routes':[{'dst':'x'}]}]} | routes[0].dst",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24'}],'dns':{'search':7}}]} | dns.search must be a list",
        "{'cooldownSeconds':-1,'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24'}]}]} | cooldownSeconds must be a whole number 0–86400, not -1",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24'}]},{'name':'a','ranges':[{'subnet':'10.1.0.0/24'}]}]} | has more than one pool \"a\"",
        "{'pools':[{'name':'a','networks':['n'],'ranges':[{'subnet':'10.0.0.0/24'}]},{'name':'b','networks':['n'],'ranges':[{'subnet':'10.1.0.0/24'}]}]} | has network \"n\" in the pools \"a\" and \"b\"",
        "{'pools':[{'name':'a','ranges':[{'subnet':'10.0.0.0/24'}]},{'name':'b','ranges':[{'subnet':'10.0.0.0/16','rangeStart':'10.0.0.254'}]}]} | pools overlap: 10.0.0.1–10.0.0.254 of \"a\" and 10.0.0.254–10.0.255.254 of \"b\"",
        "[]                                         | must be an object",
        "{'pools':                                  | not valid JSON: line 1",
      })
  void aBadFileIsRefusedWithItsNameAndTheMember(String text, String message) throws IOException {
    IpamServerException refusal = assertThrows(IpamServerException.class, () -> read(text));
    assertThat(refusal.getMessage()).startsWith(file() + ": ").contains(message);
  }

  @Test
  void aMissingFileIsNamed() {
    IpamServerException refusal = assertThrows(IpamServerException.class, () -> Pools.read(file()));
    assertThat(refusal.getMessage()).startsWith("cannot read the pools from " + file());
  }

  @Test
  void anInvalidRequestIsRejectedWithAllProblemsAtOnce() {
    TestServer server = started();
    try (server) {
      TestServer.Got got =
          server.post(
              "/v1/allocations",
              "{\"network\":7,\"ifName\":\"eth0\",\"families\":[\"ipv5\"],\"requestedIPs\":[\"10.0.0\"],"
                  + "\"leaseSeconds\":-1,\"pod\":{\"name\":[]},\"node\":\"a\\u0000b\"}");
      assertThat(got.status()).isEqualTo(400);
      assertThat(got.message())
          .contains(
              "network must be a string, not 7",
              "containerId is missing",
              "families[0] must be one of \"ipv4\", \"ipv6\", not \"ipv5\"",
              "requestedIPs[0]",
              "leaseSeconds must be a whole number",
              "pod.name must be a string",
              "node must not have");
      for (String wrong :
          List.of(
              "'requestedIPs': ['10.9.0.2', '10.9.0.3']",
              "'families': ['ipv6'], 'requestedIPs': ['10.9.0.2']",
              "'containerId': '../../etc'",
              "'network': 'a b'",
              "'ifName': 'eth0/../x'",
              "'ifName': 'sixteencharacter'",
              "'containerId': '%s'".formatted("c".repeat(254)),
              "'pool': ''")) {
        assertThat(server.allocate("c1", wrong).status()).as(wrong).isEqualTo(400);
      }
      assertThat(server.get("/v1/allocations").body().path("items")).isEmpty();
    }
  }

  private TestServer started() {
    return new TestServer(
        directory, "{\"pools\":[{\"name\":\"mynet\",\"ranges\":[{\"subnet\":\"10.9.0.0/24\"}]}]}");
  }

  private Pools read(String text) throws IOException {
    return Pools.read(Files.writeString(file(), text.replace('\'', '"')));
  }

  private Path file() {
    return directory.resolve("pools.json");
  }
}
