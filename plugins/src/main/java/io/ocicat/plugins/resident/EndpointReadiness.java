package io.ocicat.plugins.resident;

import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an agent in the same process has in force, so that a plugin that waits for an endpoint is
 * woken instead of reading the agent's status files. Implementations are thread-safe.
 */
public interface EndpointReadiness {
  /** No agent runs in this process. */
  EndpointReadiness NO_AGENT =
      new EndpointReadiness() {
        @Override
        public boolean covers(Path statusDirectory) {
          return false;
        }

        @Override
        public boolean await(Expected endpoint, Duration limit) {
          return false;
        }
      };

  /**
   * An endpoint as it was written. One of a pod of the same name before it differs.
   *
   * @param mac of the container end; null where it is not known
   */
  record Expected(ResourceKey key, @Nullable MacAddress mac, Set<IpPrefix> networks) {
    public Expected {
      networks = Set.copyOf(networks);
    }
  }

  /** Whether the agent runs, and is the one that writes the files of this directory. */
  boolean covers(Path statusDirectory);

  /**
   * Waits until everything for the endpoint is in force.
   *
   * @return whether it is; false after the limit, and at once when the agent stops
   */
  boolean await(Expected endpoint, Duration limit) throws InterruptedException;

  /** A plugin that waits for endpoints. */
  interface Client {
    /** Asks this agent from now on, for the endpoints that it covers. */
    void awaitBy(EndpointReadiness agent);
  }
}
