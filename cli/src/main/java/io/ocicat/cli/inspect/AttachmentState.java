package io.ocicat.cli.inspect;

import io.ocicat.cli.check.Discrepancy;
import java.util.Locale;

/** The state of an attachment, out of a small fixed set. */
enum AttachmentState {
  ATTACHED(true, "nothing to do"),
  DELETED(true, "nothing to do: it was asked for, and nothing is left"),
  UNDER_WAY(
      false,
      "wait; `ocicat status` shows since when, and the log where it stays",
      "wait: a plugin's own process works on it; if it does not end, look at the runtime's log"),
  KILLED(
      false,
      "DEL undoes it; so does ocicatd when it starts, and `ocicat doctor --fix`",
      "start ocicatd, which undoes it, or `ocicat doctor --fix`; so does the runtime's DEL"),
  DEL_PENDING(
      false,
      "remove the obstacle that the log names: ocicatd tries again every second",
      "start ocicatd, which finishes it: without, nobody tries again"),
  ADD_FAILED(false, ""),
  DEL_FAILED(false, ""),
  CHECK_FAILED(false, ""),
  NETNS_GONE(
      false,
      "the container has ended: DEL, or ocicatd within two minutes, removes it",
      "the container has ended: `ocicat doctor --fix` removes it, as ocicatd does when it runs"),
  INTERFACE_GONE(false, ""),
  INTERFACE_DOWN(false, ""),
  ADDRESS_GONE(false, ""),
  /** Something else differs from what ADD made, or from what is required. */
  BROKEN(false, ""),
  /** No problem was found, but not everything could be checked. */
  UNCHECKED(false, ""),
  LEASE_LEFT(
      false,
      "if the container is gone, `ocicat net gc NETWORK` frees the address; if it lives,"
          + " its ADD failed: see the runtime's log, and restart the pod"),
  NEVER_ASKED(
      false,
      "no plugin of ours was called for it since ocicatd started: look whether the runtime uses"
          + " this network (`ocicat doctor`) and at its log"),
  DAEMON_DOWN(
      false,
      "start ocicatd (`systemctl start ocicat`), restart the pod, and ask again: then it is"
          + " remembered why a call failed; what failed until now only the runtime's log tells, and"
          + " `ocicat doctor` what else is wrong here");

  private final boolean fine;
  private final String advice;
  private final String adviceAlone;

  AttachmentState(boolean fine, String advice) {
    this(fine, advice, advice);
  }

  AttachmentState(boolean fine, String advice, String adviceAlone) {
    this.fine = fine;
    this.advice = advice;
    this.adviceAlone = adviceAlone;
  }

  boolean isFine() {
    return fine;
  }

  /** The state that follows from a discrepancy. */
  static AttachmentState of(Discrepancy.Kind kind) {
    return switch (kind) {
      case NETNS -> NETNS_GONE;
      case INTERFACE -> INTERFACE_GONE;
      case INTERFACE_DOWN -> INTERFACE_DOWN;
      case ADDRESS -> ADDRESS_GONE;
      case UNKNOWN -> UNCHECKED;
      case MAC,
          MTU,
          DUPLICATE_ADDRESS,
          CONTAINER_ROUTE,
          HOST_END,
          BRIDGE,
          HOST_ROUTE,
          FORWARDING,
          NEIGHBOUR,
          DEFAULT_ROUTE,
          REMOTE_ROUTE,
          BGP_SESSION,
          FLANNEL_LEASE,
          FDB,
          POLICY,
          FIREWALL,
          MASQUERADE,
          PORT_MAP,
          LEASE,
          PLUGIN ->
          BROKEN;
    };
  }

  /**
   * What to do; empty where that follows from the cause of the failed call, or from what is wrong.
   *
   * @param daemonRuns whether a working daemon runs
   */
  String advice(boolean daemonRuns) {
    return daemonRuns ? advice : adviceAlone;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
