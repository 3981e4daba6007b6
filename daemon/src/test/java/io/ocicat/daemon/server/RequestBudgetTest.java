package io.ocicat.daemon.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much of all requests is in memory at once (review R5). */
class RequestBudgetTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(1);
  private static final int MIDDLING = 32 << 10;

  private final List<UnixSocket> pair = UnixSocket.pair(SocketType.STREAM);
  private final RequestBudget budget = new RequestBudget();

  @AfterEach
  void close() {
    pair.forEach(UnixSocket::close);
  }

  private RequestBudget.Share share() {
    return budget.of(pair.getFirst());
  }

  @Test
  void bytesAreCountedAndNotRequests() {
    List<RequestBudget.Share> held = new ArrayList<>();
    for (int taken = 0; taken < RequestBudget.AT_ONCE; taken += MIDDLING) {
      RequestBudget.Share share = share();
      assertThat(share.reserve(MIDDLING, LONG, false)).isTrue();
      held.add(share);
    }
    assertThat(share().reserve(MIDDLING, SHORT, false)).isFalse();

    held.getFirst().close();
    assertThat(share().reserve(MIDDLING, LONG, false)).isTrue();
  }

  @Test
  void waitingCallersGetKeepAlives() {
    fill(false);
    assertThat(share().reserve(MIDDLING, Duration.ofSeconds(2), false)).isFalse();
    assertThat(pair.getLast().receive(100, 0, LONG)).isPresent();
  }

  @Test
  void delsDoNotWaitForOthers() {
    fill(false);
    try (RequestBudget.Share share = share()) {
      assertThat(share.reserve(MIDDLING, LONG, true)).isTrue();
    }
  }

  @Test
  void ofLargeOnesThereIsOneAndOfTooLargeOnesNone() {
    try (RequestBudget.Share share = share()) {
      assertThat(share.reserve(RequestBudget.LARGEST, LONG, true)).isTrue();
      assertThat(share().reserve(RequestBudget.LARGE + 1, LONG, true)).isFalse();
    }
    assertThat(share().reserve(RequestBudget.LARGE + 1, LONG, true)).isTrue();
    assertThat(share().reserve(RequestBudget.LARGEST + 1, LONG, true)).isFalse();
  }

  private void fill(boolean del) {
    for (int taken = 0; taken < RequestBudget.AT_ONCE; taken += MIDDLING) {
      assertThat(share().reserve(MIDDLING, LONG, del)).isTrue();
    }
  }
}
