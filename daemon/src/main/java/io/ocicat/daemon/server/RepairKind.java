package io.ocicat.daemon.server;

import java.util.Locale;

/** A kind of repair that the daemon makes without a request; a label of metrics. */
public enum RepairKind {
  /** A killed call was undone. */
  KILLED_CALL,
  /** An attachment from before the last boot was removed. */
  EARLIER_BOOT,
  /** A deferred DEL was finished. */
  SPOOLED_DEL,
  /** An attachment whose namespace disappeared without a DEL was removed. */
  LOST_ATTACHMENT,
  /** An incomplete record was removed. */
  BROKEN_RECORD;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
