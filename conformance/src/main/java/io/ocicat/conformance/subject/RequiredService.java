package io.ocicat.conformance.subject;

import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Path;

/** A server that a plugin needs in its host's network. */
public interface RequiredService {
  /**
   * Starts it without any data.
   *
   * @param host where it is to be reached
   * @param directory an empty one for its files
   * @return ends it; throws nothing that is checked
   */
  Running start(NetNs host, Path directory);

  /** A shell command that, executed in the host's namespace, does the same until it is killed. */
  String command(Path directory);

  /** A running server. */
  interface Running extends AutoCloseable {
    @Override
    void close();
  }
}
