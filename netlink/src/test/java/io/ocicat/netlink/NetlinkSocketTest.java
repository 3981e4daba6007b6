package io.ocicat.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The exchange itself, with messages written by hand: the basis of the typed requests. */
class NetlinkSocketTest {
  private static final int RTM_NEWLINK = 16;
  private static final int RTM_GETLINK = 18;
  private static final int IFLA_IFNAME = 3;
  private static final int IFLA_GROUP = 27;
  private static final int IFINFOMSG = 16;

  private final NetNs namespace = NetNs.create();
  private final NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, namespace);

  @AfterEach
  void close() {
    socket.close();
    namespace.close();
  }

  @Test
  void aFreshNamespaceHasOnlyLoopback() {
    assertThat(socket.list(allNames())).containsExactly("lo");
  }

  @Test
  void oneObjectIsFoundByName() {
    assertThat(socket.find(name("lo"))).contains("lo");
    assertThat(socket.find(name("eth7"))).isEmpty();
  }

  @Test
  void eachMessageOfABatchHasItsOwnOutcome() {
    List<RequestOutcome> outcomes =
        socket.attempt(List.of(setGroup(1, 7), setGroup(99, 7), setGroup(1, 8)));

    assertThat(outcomes.get(0)).isInstanceOf(RequestOutcome.Done.class);
    assertThat(outcomes.get(1).failure().orElseThrow())
        .hasMessage("put link 99 into group 7: No such device (ENODEV)");
    assertThat(outcomes.get(2)).isInstanceOf(RequestOutcome.Done.class);
  }

  @Test
  void messagesAreCountedWhateverBecomesOfThem() {
    assertThat(socket.messagesSent()).isZero();
    socket.attempt(List.of(setGroup(1, 7), setGroup(99, 7), setGroup(1, 8)));
    assertThat(socket.messagesSent()).isEqualTo(3);
    socket.list(allNames());
    assertThat(socket.messagesSent()).isEqualTo(4);
  }

  @Test
  void aFailureInTheLastMessageEndsTheExchangeToo() {
    assertThatThrownBy(() -> socket.perform(setGroup(1, 7), setGroup(98, 7), setGroup(99, 7)))
        .isInstanceOf(NetlinkException.class)
        .hasMessageStartingWith("put link 98 into group 7")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(socket.find(name("lo"))).contains("lo");
  }

  @Test
  void aBatchLargerThanOneSendKeepsEveryOutcomeInOrder() {
    List<NetlinkRequest> requests =
        IntStream.range(0, 5000).mapToObj(i -> setGroup(i % 2 == 0 ? 1 : 1000 + i, i)).toList();

    List<RequestOutcome> outcomes = socket.attempt(requests);

    assertThat(outcomes).hasSize(5000);
    for (int i = 0; i < 5000; i++) {
      assertThat(outcomes.get(i).request()).isSameAs(requests.get(i));
      assertThat(outcomes.get(i).failure().isPresent()).isEqualTo(i % 2 == 1);
    }
  }

  @Test
  void theKernelsOwnWordsAreInTheMessage() {
    NetlinkRequest bad =
        NetlinkRequest.of(
            RTM_NEWLINK,
            0,
            out -> out.zeros(IFINFOMSG).text(IFLA_IFNAME, "averylongname123456"),
            () -> "name a link");

    assertThatThrownBy(() -> socket.perform(bad))
        .hasMessageStartingWith(
            "name a link: Numerical result out of range (ERANGE): Attribute failed policy validation")
        .satisfies(e -> assertThat(((NetlinkException) e).errno()).isEqualTo(Errno.ERANGE));
  }

  private static NetlinkQuery<String> allNames() {
    return NetlinkQuery.all(
        RTM_GETLINK, out -> out.zeros(IFINFOMSG), NetlinkSocketTest::readName, () -> "list links");
  }

  private static NetlinkQuery<String> name(String name) {
    return NetlinkQuery.one(
        RTM_GETLINK,
        out -> out.zeros(IFINFOMSG).text(IFLA_IFNAME, name),
        NetlinkSocketTest::readName,
        () -> "get link " + name);
  }

  private static String readName(NetlinkMessage message) {
    return message.attributes(IFINFOMSG).text(IFLA_IFNAME).orElseThrow();
  }

  private static NetlinkRequest setGroup(int index, int group) {
    return NetlinkRequest.of(
        RTM_NEWLINK,
        0,
        out -> out.field32(0).field32(index).field32(0).field32(0).u32(IFLA_GROUP, group),
        () -> "put link " + index + " into group " + group);
  }
}
