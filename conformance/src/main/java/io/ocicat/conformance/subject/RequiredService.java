package io.ocicat.conformance.subject;

import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Path;

/** What a plugin has to find in its host's network besides the kernel: a server that it asks. */
public interface RequiredService {
  /**
   * Starts it with nothing remembered.
   *
   * @param host where it is to be reached
   * @param directory is empty and for its files
   * @return ends it; throws nothing that is checked
   */
  Running start(NetNs host, Path directory);

  /** A line of shell that, executed in the host's namespace, does the same until it is killed. */
  String command(Path directory);

  /** One that answers. */
  interface Running extends AutoCloseable {
    @Override
    void close();
  }
}
