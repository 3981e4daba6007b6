package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;
import java.util.Optional;

/** The outcome of one request of a batch. */
public sealed interface RequestOutcome {
  NetlinkRequest request();

  /**
   * The kernel made the change.
   *
   * @param replies its responses, when the request asked for an echo
   */
  record Done(NetlinkRequest request, List<NetlinkMessage> replies) implements RequestOutcome {
    public Done {
      replies = List.copyOf(replies);
    }
  }

  /**
   * The kernel refused. That is often an expected answer, so the exception is only built when
   * somebody throws it.
   *
   * @param kernelSays the kernel's explanation, empty when there was none
   */
  record Failed(NetlinkRequest request, Errno errno, String kernelSays) implements RequestOutcome {
    public NetlinkException cause() {
      return new NetlinkException(request.operation(), errno, kernelSays);
    }
  }

  /**
   * Checks that the kernel made every change.
   *
   * @throws NetlinkException the first failure, with the others suppressed in it
   */
  static void requireAll(List<RequestOutcome> outcomes) {
    NetlinkException first = null;
    for (RequestOutcome outcome : outcomes) {
      if (outcome instanceof Failed failed) {
        if (first == null) {
          first = failed.cause();
        } else {
          first.addSuppressed(failed.cause());
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  default Optional<NetlinkException> failure() {
    return switch (this) {
      case Done _ -> Optional.empty();
      case Failed failed -> Optional.of(failed.cause());
    };
  }
}
