package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;
import java.util.Optional;

/** What became of one request of a batch. */
public sealed interface RequestOutcome {
  NetlinkRequest request();

  /**
   * The kernel did it.
   *
   * @param replies what it sent back about it, when the request asked for an echo
   */
  record Done(NetlinkRequest request, List<NetlinkMessage> replies) implements RequestOutcome {
    public Done {
      replies = List.copyOf(replies);
    }
  }

  /**
   * The kernel refused, which often is an answer like any other: what is composed is composed when
   * somebody throws it.
   *
   * @param kernelSays its own words, empty when it had none
   */
  record Failed(NetlinkRequest request, Errno errno, String kernelSays) implements RequestOutcome {
    public NetlinkException cause() {
      return new NetlinkException(request.operation(), errno, kernelSays);
    }
  }

  /**
   * Looks whether the kernel did everything.
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
