package io.ocicat.conformance.subject;

/** The links that exist in the namespaces before the plugin is called for the first time. */
public enum Wiring {
  NONE,

  /** On the host {@code uplink0}, an Ethernet link as a machine has one. */
  UPLINK,

  /**
   * Between host and container a veth pair with addresses, as an interface plugin would leave it.
   */
  VETH
}
