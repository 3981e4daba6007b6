package io.ocicat.daemon.server;

import java.util.Locale;

/** Why the daemon declined a caller; a label of metrics. */
public enum DeclineReason {
  /** The caller is not root. */
  PEER,
  /** Bytes that are not a request. */
  FRAME,
  /** The connection broke before there was a request. */
  CONNECTION,
  NO_NETWORK_NAMESPACE,
  USER_NAMESPACE,
  MOUNT_NAMESPACE,
  ROOT_DIRECTORY,
  WORKING_DIRECTORY,
  UNKNOWN_PLUGIN;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
