package io.ocicat.plugins.resident;

import tools.jackson.databind.node.ObjectNode;

/** A plugin whose calls need a server that the network's configuration names. */
public interface ServerClient {
  /** Whether a configuration names one; a datastore on this machine is none. */
  boolean hasServer(ObjectNode config);

  /**
   * Makes a recorded request reach the server that the network's configuration names now. It may
   * have moved since the request was made.
   */
  void updateServer(ObjectNode recorded, ObjectNode current);
}
