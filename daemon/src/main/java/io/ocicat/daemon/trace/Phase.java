package io.ocicat.daemon.trace;

import java.util.Locale;

/** The kinds of work that a call consists of. */
public enum Phase {
  /** From the start of the shim until the daemon had read the request. */
  ARRIVE,
  /** Until there was a thread, a turn and the attachment's lock. */
  QUEUE,
  JOURNAL,
  /** A plugin that another one delegated to. */
  DELEGATE,
  IPAM,
  /** A request to the server of a datastore. */
  DATASTORE,
  LINK,
  ADDRESS,
  ROUTE,
  NFTABLES,
  /** Other exchanges with the kernel. */
  KERNEL,
  /** The plugin as a whole. */
  PLUGIN,
  REPLY;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
