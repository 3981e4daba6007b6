package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.WrittenMessage;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Compares the exact bytes with those that tc (iproute2 6.1) sends for the same, captured with
 * strace. What this kernel lacks cannot be tested in any other way. tc does not mark most
 * attributes as nested; the kernel takes both.
 */
class TcWireTest {
  private static final Handle FFFF = Handle.ofQdisc(0xffff);

  @Test
  void matchAllWithAMirror() {
    // tc filter add dev 3 parent ffff: protocol ip prio 2 matchall action mirred ingress mirror
    // dev 4
    assertThat(
            sent(
                Filters.add(
                    new FilterPosition(3, FFFF, 2, EtherType.IPV4),
                    MatchAll.of(new Mirred(Mirred.Mode.INGRESS_MIRROR, 4)))))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 00000000 0000ffff 08000200
                0d000100 6d617463 68616c6c 00000000
                3c000280 38000280 34000180
                0b000100 6d697272 65640000 24000280
                20000200 00000000 00000000 03000000 00000000 00000000 04000000 04000000
                """));
  }

  @Test
  void matchAllWithAClass() {
    // tc filter add dev 3 parent 1: protocol ip prio 2 matchall classid 1:7
    assertThat(
            sent(
                Filters.add(
                    new FilterPosition(3, Handle.ofQdisc(1), 2, EtherType.IPV4),
                    new MatchAll(Handle.of(1, 7), List.of()))))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 00000000 00000100 08000200
                0d000100 6d617463 68616c6c 00000000
                0c000280 08000100 07000100
                """));
  }

  @Test
  void u32WithARedirect() {
    // tc filter add dev 3 parent ffff: protocol all prio 1 u32 match u32 0 0 flowid 1:1
    // action mirred egress redirect dev 4
    assertThat(
            sent(
                Filters.add(
                    new FilterPosition(3, FFFF, 1, EtherType.ALL),
                    U32.everything().flow(Handle.of(1, 1)).action(Mirred.redirectTo(4)))))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 00000000 0000ffff 00030100
                08000100 75333200 68000280 08000100 01000100
                38000780 34000180 0b000100 6d697272 65640000 24000280
                20000200 00000000 00000000 04000000 00000000 00000000 01000000 04000000
                24000500 01000100 00000000 00000000 00000000
                00000000 00000000 00000000 00000000
                """));
  }

  @Test
  void u32ThatJumpsIntoATable() {
    // tc filter add dev 3 parent 1: protocol ip prio 7 u32 ht 800:: match ip dst 10.0.0.0/8
    // hashkey mask 0x000000ff at 16 link 2: (the attributes for ht and link in the other order)
    assertThat(
            sent(
                Filters.add(
                    new FilterPosition(3, Handle.ofQdisc(1), 7, EtherType.IPV4),
                    U32.matching(IpMatch.ipv4().destination(IpPrefix.parse("10.0.0.0/8")).keys())
                        .at(U32Handle.ofTable(0x800))
                        .jump(new U32.Jump(U32Handle.ofTable(2), 0xff, 16)))))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 00000000 00000100 08000700
                08000100 75333200 38000280
                08000200 00000080 08000300 00002000
                24000500 00000100 00000000 00001000 000000ff
                ff000000 0a000000 10000000 00000000
                """));
  }

  @Test
  void ingress() {
    // tc qdisc add dev 3 ingress
    assertThat(sent(Qdiscs.add(3, Handle.INGRESS, FFFF, QdiscOptions.INGRESS)))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 0000ffff f1ffffff 00000000
                0c000100 696e6772 65737300
                """));
  }

  @Test
  void tokenBucket() {
    // tc qdisc add dev 3 root handle 1: tbf rate 8mbit burst 1000000 latency 25ms; tc adds a rate
    // table with its cell size, which nobody reads, and the burst in bytes.
    Tbf tbf = Tbf.withLatency(Rate.ofBits(8_000_000), 1_000_000, Duration.ofMillis(25));
    assertThat(sent(Qdiscs.add(3, Handle.ROOT, Handle.ofQdisc(1), tbf)))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 00000100 ffffffff 00000000
                08000100 74626600 2c000280
                28000100 00010000 00000000 40420f00
                00000000 00000000 00000000 e8a30f00 286bee00 00000000
                """));
  }

  @Test
  void htbClass() {
    // tc class add dev 3 parent 1: classid 1:30 htb rate 8mbit ceil 16mbit burst 15k cburst 20k
    // prio 3; without the rate tables.
    HtbClass shaped =
        HtbClass.of(Rate.ofBits(8_000_000), Rate.ofBits(16_000_000))
            .burst(15 * 1024)
            .ceilingBurst(20 * 1024)
            .priority(3);
    assertThat(sent(Classes.add(3, Handle.ofQdisc(1), Handle.of(1, 0x30), shaped)))
        .isEqualTo(
            bytes(
                """
                00000000 03000000 30000100 00000100 00000000
                08000100 68746200 34000280
                30000100 00010000 00000000 40420f00
                00010000 00000000 80841e00
                80a90300 00710200 00000000 00000000 03000000
                """));
  }

  private static String sent(NetlinkRequest request) {
    return HexFormat.of().formatHex(WrittenMessage.payloadOf(request));
  }

  private static String bytes(String text) {
    return text.replaceAll("\\s", "");
  }
}
