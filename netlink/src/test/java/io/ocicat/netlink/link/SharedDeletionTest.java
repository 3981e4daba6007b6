package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Concurrent deletions of links: each call returns with its own outcome, when its link is gone. */
@Hosts
class SharedDeletionTest {
  private static final int LOOPBACK = 1;

  private Machine host;

  @BeforeEach
  void open(Host node) {
    host = Machine.on(node);
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void aLinkIsDeletedAndOneThatIsGoneIsToldApart() {
    int index = host.veth("one", "other").index();

    assertThat(SharedDeletion.delete(host.ns(), host.net(), index)).isTrue();
    assertThat(SharedDeletion.delete(host.ns(), host.net(), index)).isFalse();
    assertThat(links()).doesNotContain("one", "other");
  }

  @Test
  void thoseWhoComeMeanwhileAreDeletedTogether() throws Exception {
    host.veth("bystander", "peer");
    List<Integer> veths = veths(6);
    int before = host.net().messagesSent();

    List<FutureTask<Boolean>> deletions = queueBehindAnother(veths);

    for (FutureTask<Boolean> deletion : deletions) {
      assertThat(deletion.get()).isTrue();
    }
    assertThat(host.net().messagesSent() - before)
        .as("each is marked, and the group deleted once")
        .isEqualTo(veths.size() + 1);
    assertThat(links()).containsExactlyInAnyOrder("lo", "bystander", "peer");
  }

  @Test
  void eachLearnsOfItsOwnFailureOnly() throws Exception {
    List<Integer> some = new ArrayList<>(veths(3));
    int gone = host.veth("gone", "gone-too").index();
    host.net().perform(Links.delete(gone));
    some.add(gone);
    some.add(LOOPBACK);

    List<FutureTask<Boolean>> deletions = queueBehindAnother(some);

    for (FutureTask<Boolean> veth : deletions.subList(0, 3)) {
      assertThat(veth.get()).isTrue();
    }
    assertThat(deletions.get(3).get()).isFalse();
    assertThatThrownBy(() -> deletions.get(4).get())
        .cause()
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    assertThat(links()).containsExactly("lo");
  }

  @Test
  void aSocketThatIsClosedFailsAllWhoWaitedForItAndNobodyElse() throws Exception {
    int index = host.veth("one", "other").index();
    NetlinkSocket closed = NetlinkSocket.open(Protocol.ROUTE, host.ns());
    closed.close();

    assertThatThrownBy(() -> SharedDeletion.delete(host.ns(), closed, index))
        .isInstanceOf(IllegalStateException.class);
    assertThat(SharedDeletion.delete(host.ns(), host.net(), index)).isTrue();
  }

  @Test
  void aDeletionOfAnotherKindIsMadeAloneOrNotAtAll() throws Exception {
    assertThat(SharedDeletion.alone(host.ns(), () -> "done")).contains("done");
    assertThat(
            SharedDeletion.alone(
                host.ns(), () -> SharedDeletion.alone(host.ns(), () -> "within another")))
        .hasValueSatisfying(inner -> assertThat(inner).isEmpty());
  }

  @Test
  void severalOfOneCallerGoTogether() {
    List<Integer> veths = veths(4);
    int before = host.net().messagesSent();

    SharedDeletion.deleteAll(host.net(), veths);
    SharedDeletion.deleteAll(host.net(), List.of());

    assertThat(host.net().messagesSent() - before).isEqualTo(veths.size() + 1);
    assertThat(links()).containsExactly("lo");
  }

  private List<Integer> veths(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> host.veth("here" + i, "there" + i).index())
        .toList();
  }

  private List<String> links() {
    return host.net().list(Links.all()).stream().map(Link::name).toList();
  }

  /** Deletes each on a separate thread, all of which wait before the first one may begin. */
  private List<FutureTask<Boolean>> queueBehindAnother(List<Integer> indices) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Thread first =
        Thread.ofPlatform()
            .start(
                () ->
                    SharedDeletion.alone(
                        host.ns(),
                        () -> {
                          begun.countDown();
                          return await(release);
                        }));
    begun.await();
    List<FutureTask<Boolean>> deletions = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int index : indices) {
      FutureTask<Boolean> deletion =
          new FutureTask<>(() -> SharedDeletion.delete(host.ns(), host.net(), index));
      deletions.add(deletion);
      threads.add(Thread.ofPlatform().start(deletion));
    }
    Eventually.await(
        "all of them to queue up",
        () -> threads.stream().allMatch(t -> t.getState() == Thread.State.WAITING));
    release.countDown();
    first.join();
    return deletions;
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
