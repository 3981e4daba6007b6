package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Seeded;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Queueing disciplines, checked with tc. */
@Hosts
class QdiscsTest extends TcFixture {
  private static final Handle ONE = Handle.ofQdisc(1);
  private static final Handle FFFF = Handle.ofQdisc(0xffff);

  @ParameterizedTest
  @CsvSource({
    "8000000, 1000000, 25, 'rate 8Mbit burst 1000000b lat 25ms'",
    "1000000, 10000, 25, 'rate 1Mbit burst 10000b lat 25ms'",
    "1000000000, 1000000, 50, 'rate 1Gbit burst 1000000b lat 50ms'",
    "3333336, 12345, 30, 'rate 3333Kbit burst 12345b lat 30ms'",
    "512000, 4096, 400, 'rate 512Kbit burst 4Kb lat 400ms'",
    "100000000000, 4000000, 5, 'rate 100Gbit burst 4000000b lat 5ms'"
  })
  void tcShowsTheTokenBucketAsItWasAskedFor(
      long bits, long burst, long millis, String shown, Host host) {
    Tbf tbf = Tbf.withLatency(Rate.ofBits(bits), burst, Duration.ofMillis(millis));

    net.perform(Qdiscs.add(veth, Handle.ROOT, ONE, tbf));

    assertThat(host.exec("tc", "-s", "qdisc", "show", "dev", "eth0").stdout())
        .startsWith("qdisc tbf 1: root refcnt ")
        .contains(" " + shown + " ");
    assertThat(net.find(Qdiscs.at(veth, Handle.ROOT)).orElseThrow().discipline()).isEqualTo(tbf);
  }

  @Test
  void anyTokenBucketIsReadBackEqualAndTcAgreesOnItsBytes(Host host) {
    Seeded.forAll(
        25,
        random -> {
          Rate rate = Rate.ofBytes((long) Math.pow(10, random.nextDouble(3, 7)));
          long burst = random.nextLong(1500, Math.min(50_000_000, Tbf.largestBurst(rate)));
          Tbf tbf = Tbf.withLimit(rate, burst, burst + random.nextInt(1_000_000));

          net.perform(Qdiscs.replace(veth, Handle.ROOT, ONE, tbf));

          assertThat(net.find(Qdiscs.at(veth, Handle.ROOT)).orElseThrow().discipline())
              .isEqualTo(tbf);
          JsonNode options = shown(host).get("options");
          assertThat(options.get("rate").asLong()).isEqualTo(rate.bytesPerSecond());
          // Debian 12's tc counts whole microseconds and cannot show less than one of them.
          long unseen = rate.bytesPerSecond() / 950_000;
          assertThat(options.get("burst").asLong()).isBetween(burst - unseen, burst);
        });
  }

  @Test
  void aTokenBucketMadeByTcIsRead(Host host) {
    host.exec(
        "tc qdisc add dev eth0 root handle 5: tbf rate 40gbit burst 4mb limit 8mb".split(" "));

    Qdisc qdisc = net.find(Qdiscs.at(veth, Handle.ROOT)).orElseThrow();

    assertThat(qdisc.handle()).hasToString("5:");
    assertThat(qdisc.parent()).isEqualTo(Handle.ROOT);
    assertThat(qdisc.link()).isEqualTo(veth);
    Tbf tbf = (Tbf) qdisc.discipline();
    assertThat(tbf.rate()).isEqualTo(Rate.ofBits(40_000_000_000L));
    assertThat(tbf.limit()).isEqualTo(8 << 20);
    assertThat(tbf.burst()).isBetween((4L << 20) - 640, 4L << 20);
  }

  @Test
  void anHtbHasADefaultClass(Host host) {
    net.perform(Qdiscs.add(veth, Handle.ROOT, ONE, new Htb(0x30, 5)));

    JsonNode options = shown(host).get("options");
    assertThat(options.get("default").asString()).isEqualTo("0x30");
    assertThat(options.get("r2q").asInt()).isEqualTo(5);
    assertThat(net.find(Qdiscs.at(veth, Handle.ROOT)).orElseThrow().discipline())
        .isEqualTo(new Htb(0x30, 5));
  }

  @ParameterizedTest
  @CsvSource({"ingress", "clsact"})
  void qdiscsForFiltersAloneStandBesideTheRoot(String kind, Host host) {
    QdiscOptions discipline = kind.equals("ingress") ? QdiscOptions.INGRESS : QdiscOptions.CLSACT;

    net.perform(Qdiscs.add(veth, Handle.INGRESS, FFFF, discipline));

    JsonNode last = host.json("tc", "-j", "qdisc", "show", "dev", "eth0", "ingress").get(0);
    assertThat(last.get("kind").asString()).isEqualTo(kind);
    assertThat(last.get("handle").asString()).isEqualTo("ffff:");
    assertThat(last.get("parent").asString()).isEqualTo("ffff:fff1");
    assertThat(net.list(Qdiscs.of(veth)))
        .extracting(Qdisc::parent, Qdisc::discipline)
        .contains(tuple(Handle.INGRESS, discipline));
  }

  @Test
  void replacingChangesTheOneThatIsThere(Host host) {
    Tbf slow = Tbf.withLimit(Rate.ofBits(1_000_000), 10_000, 20_000);
    Tbf fast = Tbf.withLimit(Rate.ofBits(9_000_000), 90_000, 99_000);

    net.perform(
        Qdiscs.replace(veth, Handle.ROOT, ONE, slow), Qdiscs.replace(veth, Handle.ROOT, ONE, fast));

    assertThat(shown(host).get("options").get("rate").asLong()).isEqualTo(1_125_000);
    net.perform(Qdiscs.replace(veth, Handle.ROOT, Handle.ofQdisc(2), Htb.withDefault(1)));
    assertThat(shown(host).get("kind").asString()).isEqualTo("htb");
    assertThat(shown(host).get("handle").asString()).isEqualTo("2:");
  }

  @Test
  void aQdiscIsRemovedByItsPlace(Host host) {
    net.perform(
        Qdiscs.add(veth, Handle.ROOT, ONE, Htb.withDefault(0)),
        Qdiscs.add(veth, Handle.INGRESS, FFFF, QdiscOptions.INGRESS));

    net.perform(Qdiscs.delete(veth, Handle.ROOT), Qdiscs.delete(veth, Handle.INGRESS));

    assertThat(host.exec("tc", "qdisc", "show", "dev", "eth0").stdout())
        .doesNotContain("htb", "ingress");
    assertThat(net.find(Qdiscs.at(veth, Handle.INGRESS))).isEmpty();
  }

  @Test
  void aQdiscIsRemovedOnlyIfItHasTheHandle() {
    net.perform(Qdiscs.add(veth, Handle.ROOT, ONE, Htb.withDefault(0)));

    assertThatThrownBy(() -> net.perform(Qdiscs.delete(veth, Handle.ROOT, Handle.ofQdisc(2))))
        .isInstanceOf(NetlinkException.class)
        .hasMessageStartingWith("delete qdisc 2: dev " + veth + " parent root: ");
    net.perform(Qdiscs.delete(veth, Handle.ROOT, ONE));
    assertThat(net.list(Qdiscs.of(veth)))
        .extracting(qdisc -> qdisc.discipline().kind())
        .doesNotContain("htb");
  }

  @Test
  void aQdiscHangsBelowAClass(Host host) {
    Handle shaped = ONE.minor(0x30);
    net.perform(
        Qdiscs.add(veth, Handle.ROOT, ONE, Htb.withDefault(0x30)),
        Classes.add(veth, ONE, shaped, HtbClass.of(Rate.ofBits(8_000_000))),
        Qdiscs.add(
            veth,
            shaped,
            Handle.ofQdisc(3),
            Tbf.withLimit(Rate.ofBits(4_000_000), 10_000, 20_000)));

    assertThat(net.find(Qdiscs.at(veth, shaped)).orElseThrow().handle()).hasToString("3:");
    assertThat(host.exec("tc", "qdisc", "show", "dev", "eth0").stdout())
        .contains("qdisc tbf 3: parent 1:30 rate 4Mbit burst 10000b ");
  }

  @Test
  void whatWentThroughIsCounted(Host host) {
    net.perform(
        Qdiscs.add(
            veth, Handle.ROOT, ONE, Tbf.withLimit(Rate.ofBits(8_000_000), 100_000, 200_000)));
    host.exec("ip", "address", "add", "10.9.0.1/24", "dev", "eth0");
    host.tryExec("ping", "-c1", "-W1", "10.9.0.2");

    Counters counters = net.find(Qdiscs.at(veth, Handle.ROOT)).orElseThrow().counters();

    JsonNode shown = host.json("tc", "-j", "-s", "qdisc", "show", "dev", "eth0", "root").get(0);
    assertThat(counters.packets()).isPositive();
    assertThat(shown.get("packets").asLong()).isGreaterThanOrEqualTo(counters.packets());
    assertThat(shown.get("bytes").asLong()).isGreaterThanOrEqualTo(counters.bytes());
    assertThat(counters.drops()).isZero();
  }

  @Test
  void qdiscsOfOtherKindsAreListedByName(Host host) {
    host.exec("tc qdisc add dev eth0 root handle 9: pfifo limit 10".split(" "));

    assertThat(net.find(Qdiscs.at(veth, Handle.ROOT)).orElseThrow().discipline())
        .isEqualTo(new QdiscOptions.Plain("pfifo"));
    assertThat(net.list(Qdiscs.all())).extracting(Qdisc::link).contains(veth, ifb);
  }

  @Test
  void failuresNameTheQdiscAndTheReason() {
    Tbf tbf = Tbf.withLimit(Rate.ofBits(8_000_000), 10_000, 20_000);
    net.perform(Qdiscs.add(veth, Handle.ROOT, ONE, tbf));

    assertThatThrownBy(() -> net.perform(Qdiscs.add(veth, Handle.ROOT, ONE, tbf)))
        .hasMessageStartingWith(
            "add qdisc 1: dev %d parent root tbf rate 8Mbit burst 10000b limit 20000b: File exists (EEXIST)"
                .formatted(veth))
        .satisfies(e -> assertThat(((NetlinkException) e).is(Errno.EEXIST)).isTrue());
    assertThatThrownBy(() -> net.perform(Qdiscs.add(999, Handle.ROOT, ONE, tbf)))
        .hasMessageContaining("dev 999")
        .hasMessageContaining("No such device (ENODEV)");
    assertThatThrownBy(() -> net.perform(Qdiscs.delete(veth, Handle.INGRESS)))
        .hasMessageStartingWith("delete qdisc dev %d parent ffff:fff1: ".formatted(veth));
    assertThatThrownBy(
            () ->
                net.perform(
                    Qdiscs.add(ifb, Handle.ROOT, ONE, new QdiscOptions.Plain("nosuchqdisc"))))
        .hasMessageContaining("Specified qdisc kind is unknown");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    assertThat(net.find(Qdiscs.at(999, Handle.ROOT))).isEmpty();
    assertThat(net.find(Qdiscs.at(veth, Handle.INGRESS))).isEmpty();
    assertThat(net.list(Qdiscs.of(999))).isEmpty();
  }

  private static JsonNode shown(Host host) {
    return host.json("tc", "-j", "qdisc", "show", "dev", "eth0", "root").get(0);
  }
}
