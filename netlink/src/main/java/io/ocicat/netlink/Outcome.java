package io.ocicat.netlink;

import java.util.List;
import java.util.Optional;

/** What became of one request of a batch. */
public sealed interface Outcome {
  Request request();

  /**
   * The kernel did it.
   *
   * @param replies what it sent back about it, when the request asked for an echo
   */
  record Done(Request request, List<NetlinkMessage> replies) implements Outcome {
    public Done {
      replies = List.copyOf(replies);
    }
  }

  /** The kernel refused. */
  record Failed(Request request, NetlinkException cause) implements Outcome {}

  default Optional<NetlinkException> failure() {
    return switch (this) {
      case Done _ -> Optional.empty();
      case Failed failed -> Optional.of(failed.cause());
    };
  }
}
