package io.ocicat.conformance.subject;

/** How to take away what the plugin made, so that CHECK has something to notice. */
public enum Damage {
  /** The interface in the container is deleted. */
  INTERFACE,

  /** The interface in the container is down. */
  LINK_DOWN,

  /** The interface in the container has another MTU. */
  MTU,

  /** The host is another one: none of its links and rules are there, as after a restart. */
  HOST,

  /** The files in the data directory are deleted. */
  DATA,

  /** The server that the plugin asks has forgotten everything. */
  SERVICE,

  /** Interface, host and data together. */
  EVERYTHING,

  /** The plugin keeps nothing that could get lost. */
  NOTHING
}
