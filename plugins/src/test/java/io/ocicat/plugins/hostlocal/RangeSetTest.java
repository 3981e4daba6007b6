package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class RangeSetTest {

  /** Upstream's table: subnets, leased addresses, the last one, what comes next. */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/29,,, 10.0.0.2",
    "2001:db8:1::/64,,, 2001:db8:1::2",
    "10.0.0.0/30,,, 10.0.0.2",
    "10.0.0.0/29, 10.0.0.2,, 10.0.0.3",
    "10.0.0.0/29,, 10.0.0.5, 10.0.0.6",
    "10.0.0.0/29, 10.0.0.4 10.0.0.5, 10.0.0.3, 10.0.0.6",
    "10.0.0.0/29, 10.0.0.6, 10.0.0.5, 10.0.0.2",
    "10.0.0.0/29, 10.0.0.2, 10.0.0.128, 10.0.0.3",
    "10.0.0.0/29, 10.0.0.2 10.0.0.4 10.0.0.5 10.0.0.6, 10.0.0.3, 10.0.0.3",
    "10.0.0.0/30 10.0.1.0/30,,, 10.0.0.2",
    "10.0.0.0/30 10.0.1.0/30,, 10.0.0.2, 10.0.1.2",
    "10.0.0.0/30 10.0.1.0/30 10.0.2.0/30,, 10.0.2.2, 10.0.0.2",
    "10.0.0.0/30, 10.0.0.2,,",
    "10.0.0.0/30 10.0.1.0/30, 10.0.0.2 10.0.1.2, 10.0.0.2,",
  })
  void theNextAddressIsThatOfTheOriginal(
      String subnets, @Nullable String taken, @Nullable String last, @Nullable String next) {
    AddressRuns used = new AddressRuns();
    words(taken).forEach(address -> used.add(IpAddress.parse(address)));

    assertThat(
            set(words(subnets).stream().map(s -> "{\"subnet\":\"" + s + "\"}").toList())
                .nextFree(Optional.ofNullable(last).map(IpAddress::parse), used)
                .map(Member::address))
        .isEqualTo(Optional.ofNullable(next).map(IpAddress::parse));
  }

  @Test
  void aRoundVisitsEveryAddressOnceAndTheLastOneLast() {
    RangeSet set =
        set(
            List.of(
                "{\"subnet\":\"10.0.0.0/29\",\"gateway\":\"10.0.0.4\"}",
                "{\"subnet\":\"10.0.1.0/29\",\"rangeStart\":\"10.0.1.5\",\"rangeEnd\":\"10.0.1.7\"}"));

    assertThat(round(set, null))
        .isEqualTo("10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.5 10.0.0.6 10.0.1.5 10.0.1.6 10.0.1.7");
    assertThat(round(set, "10.0.0.3"))
        .isEqualTo("10.0.0.5 10.0.0.6 10.0.1.5 10.0.1.6 10.0.1.7 10.0.0.1 10.0.0.2 10.0.0.3");
    assertThat(round(set, "10.0.1.7"))
        .isEqualTo("10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.5 10.0.0.6 10.0.1.5 10.0.1.6 10.0.1.7");
    assertThat(round(set, "10.0.1.4"))
        .isEqualTo("10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.5 10.0.0.6 10.0.1.5 10.0.1.6 10.0.1.7");
  }

  @Test
  void gatewaysAtTheEndsOfARangeAreLeftOut() {
    assertThat(round(set(List.of("{\"subnet\":\"10.0.0.0/30\",\"gateway\":\"10.0.0.2\"}")), null))
        .isEqualTo("10.0.0.1");
    assertThat(
            round(
                set(
                    List.of(
                        "{\"subnet\":\"10.0.0.0/29\",\"rangeStart\":\"10.0.0.1\",\"rangeEnd\":\"10.0.0.1\"}")),
                null))
        .isEmpty();
  }

  @Test
  void theEndsOfTheAddressSpaceAreReached() {
    assertThat(
            round(
                set(
                    List.of(
                        "{\"subnet\":\"255.255.255.252/30\",\"rangeEnd\":\"255.255.255.255\"}")),
                "255.255.255.255"))
        .isEqualTo("255.255.255.254 255.255.255.255");
    assertThat(
            round(
                set(List.of("{\"subnet\":\"ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffc/126\"}")), null))
        .isEqualTo(
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  }

  private static String round(RangeSet set, @Nullable String last) {
    AddressRuns used = new AddressRuns();
    List<String> visited = new ArrayList<>();
    Optional<IpAddress> latest = Optional.ofNullable(last).map(IpAddress::parse);
    for (Optional<Member> next = set.nextFree(latest, used);
        next.isPresent() && visited.size() < 100;
        next = set.nextFree(latest, used)) {
      visited.add(next.get().address().toString());
      used.add(next.get().address());
      latest = Optional.of(next.get().address());
    }
    return String.join(" ", visited);
  }

  private static RangeSet set(List<String> ranges) {
    String json = ranges.stream().collect(Collectors.joining(",", "{\"set\":[", "]}"));
    return CniJson.read(
        (ObjectNode) CniJson.parse(json), in -> RangeSet.read(in.value("set")).orElseThrow());
  }

  private static List<String> words(@Nullable String text) {
    return text == null ? List.of() : Arrays.asList(text.split(" ", -1));
  }
}
