package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.WrittenMessage;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Seeded;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Whatever the bytes, reading them ends in an object or in a clean exception. */
class TcReadTest {
  private static final Handle ONE = Handle.ofQdisc(1);
  private static final FilterPosition PLACE = new FilterPosition(3, ONE, 5, EtherType.IPV4);
  private static final U32 FILTER =
      U32.matching(IpMatch.ipv4().source(IpPrefix.parse("10.1.0.0/16")).sourcePort(7).keys())
          .at(U32Handle.of(2, 3, 4))
          .flow(ONE.minor(5))
          .jump(new U32.Jump(U32Handle.ofTable(6), 0xff00, 12))
          .action(Mirred.mirrorTo(8))
          .action(Mirred.redirectTo(9));
  private static final Tbf FAST =
      Tbf.withLatency(Rate.ofBits(100_000_000_000L), 1_000_000, Duration.ofMillis(5));

  /** Requests and reports have the same form, so our requests are input for our readers. */
  private static final List<NetlinkRequest> REAL =
      List.of(
          Qdiscs.add(3, Handle.ROOT, ONE, FAST),
          Qdiscs.add(3, Handle.ROOT, ONE, new Htb(0x30, 7)),
          Qdiscs.add(3, Handle.INGRESS, Handle.ofQdisc(0xffff), QdiscOptions.CLSACT),
          Classes.add(3, ONE, ONE.minor(7), HtbClass.of(FAST.rate()).priority(2)),
          Filters.add(PLACE, FILTER),
          Filters.add(PLACE, new U32Table(U32Handle.ofTable(2), 64)),
          Filters.add(PLACE, new MatchAll(ONE.minor(1), List.of(Mirred.mirrorTo(4)))));

  private static final List<Function<NetlinkMessage, ?>> READERS =
      List.of(Qdisc::read, TrafficClass::read, Filter::read);

  @Test
  void whatIsWrittenIsRead() {
    assertThat(Qdisc.read(message(REAL.getFirst())).discipline()).isEqualTo(FAST);
    assertThat(Filter.read(message(REAL.get(4))))
        .isEqualTo(new Filter(PLACE, U32Handle.of(2, 3, 4).value(), FILTER));
    assertThat(Filter.read(message(REAL.get(6))).classifier())
        .isEqualTo(new MatchAll(ONE.minor(1), List.of(Mirred.mirrorTo(4))));
  }

  @Test
  void anyBytesAreReadOrRefused() {
    Seeded.forAll(
        20_000,
        random -> {
          byte[] bytes = new byte[random.nextInt(200)];
          random.nextBytes(bytes);
          READERS.forEach(reader -> survive(reader, bytes));
        });
  }

  @Test
  void realMessagesWithBytesChangedAreReadOrRefused() {
    Seeded.forAll(
        20_000,
        random -> {
          byte[] bytes = WrittenMessage.payloadOf(REAL.get(random.nextInt(REAL.size())));
          byte[] mutated = mutate(bytes, random);
          READERS.forEach(reader -> survive(reader, mutated));
        });
  }

  private static byte[] mutate(byte[] bytes, Random random) {
    byte[] mutated =
        random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    for (int changes = random.nextInt(6); changes > 0 && mutated.length > 0; changes--) {
      mutated[random.nextInt(mutated.length)] =
          (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(3) - 1);
    }
    return mutated;
  }

  private static void survive(Function<NetlinkMessage, ?> reader, byte[] bytes) {
    try {
      Object read = reader.apply(WrittenMessage.withPayload(0, bytes));
      assertThat(read.toString()).isNotEmpty();
    } catch (NetlinkException e) {
      assertThat(e).hasMessageStartingWith("read the kernel's answer: Protocol error (EPROTO)");
    }
  }

  private static NetlinkMessage message(NetlinkRequest request) {
    return WrittenMessage.withPayload(0, WrittenMessage.payloadOf(request));
  }
}
