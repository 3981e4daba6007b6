package io.ocicat.daemon.server;

import java.util.Locale;

/** Kinds of reasons to send a caller away; metrics are kept by them. */
public enum DeclineReason {
  /** Another user than root. */
  PEER,
  /** Bytes that are no request. */
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
