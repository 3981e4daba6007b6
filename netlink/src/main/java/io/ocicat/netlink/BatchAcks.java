package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Collects the kernel's acknowledgements of a batch. Only the last message asks for one: the kernel
 * processes a send in order and reports every failure unasked, so when the last acknowledgement is
 * in, every request without a failure succeeded. One receive instead of one per message.
 */
final class BatchAcks {
  private final List<NetlinkRequest> requests;
  private final int first;
  private final RequestOutcome.@Nullable Failed[] failures;
  private final List<List<NetlinkMessage>> replies;
  private boolean complete;

  BatchAcks(List<NetlinkRequest> requests, int firstSequence) {
    this.requests = requests;
    this.first = firstSequence;
    this.failures = new RequestOutcome.Failed[requests.size()];
    this.replies = new ArrayList<>(Collections.nCopies(requests.size(), List.of()));
  }

  List<RequestOutcome> collect(NetlinkChannel channel, Buffers buffers) {
    while (!complete) {
      try {
        readAll(channel.receive(buffers));
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOBUFS) || !isTransaction()) {
          throw e;
        }
        drain(channel, buffers, e);
      }
    }
    List<RequestOutcome> outcomes = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      RequestOutcome failure = failures[i];
      outcomes.add(
          failure == null ? new RequestOutcome.Done(requests.get(i), replies.get(i)) : failure);
    }
    return outcomes;
  }

  /**
   * A transaction may fail in more places than the socket's buffer can hold; the kernel drops the
   * later errors. What it kept must be read to make room for the next exchange.
   */
  private void drain(NetlinkChannel channel, Buffers buffers, NetlinkException overflow) {
    Optional<byte[]> datagram = channel.receiveIfAny(buffers);
    while (datagram.isPresent()) {
      readAll(datagram.get());
      datagram = channel.receiveIfAny(buffers);
    }
    if (Arrays.stream(failures).allMatch(Objects::isNull)) {
      throw overflow;
    }
    complete = true;
  }

  private void readAll(byte[] datagram) {
    for (NetlinkMessage message : NetlinkMessage.split(datagram)) {
      read(message);
    }
  }

  /** Few requests get any response but an acknowledgement. */
  private void keep(int index, NetlinkMessage reply) {
    if (replies.get(index).isEmpty()) {
      replies.set(index, new ArrayList<>());
    }
    replies.get(index).add(reply);
  }

  private boolean isTransaction() {
    return NetfilterBatch.isBegin(requests.getFirst());
  }

  private void read(NetlinkMessage message) {
    int index = message.sequence() - first;
    if (index < 0 || index >= requests.size()) {
      return; // left over from an exchange that ended early
    }
    switch (message.type()) {
      case NetlinkMessage.NOOP -> {}
      case NetlinkMessage.ERROR, NetlinkMessage.DONE, NetlinkMessage.OVERRUN -> {
        Ack ack = Ack.read(message);
        if (!ack.isSuccess()) {
          failures[index] = ack.failure(requests.get(index));
        }
        // The kernel rejects a whole netfilter batch with an error on its opening message, and
        // nothing follows.
        boolean batchRejected = index == 0 && isTransaction() && !ack.isSuccess();
        complete |= index == requests.size() - 1 || batchRejected;
      }
      default -> keep(index, message);
    }
  }
}
