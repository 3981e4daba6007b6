package io.ocicat.daemon.server;

import java.util.Locale;

/** Kinds of things the daemon put right without being asked; metrics are kept by them. */
public enum RepairKind {
  /** What a killed call had begun is undone. */
  KILLED_CALL,
  /** An attachment from before the machine's last start is removed. */
  EARLIER_BOOT,
  /** A DEL that could not be finished at once is. */
  SPOOLED_DEL,
  /** An attachment whose namespace went without a DEL is removed. */
  LOST_ATTACHMENT,
  /** A file that is no whole record is removed. */
  BROKEN_RECORD;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
