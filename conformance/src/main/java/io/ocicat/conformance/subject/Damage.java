package io.ocicat.conformance.subject;

/** The damage to do to what a plugin made, so that CHECK has something to notice. */
public enum Damage {
  /** The interface in the container is deleted. */
  INTERFACE,

  /** The interface in the container is down. */
  LINK_DOWN,

  /** The interface in the container has another MTU. */
  MTU,

  /** The host is replaced: none of its links and rules exist, as after a reboot. */
  HOST,

  /** The files in the data directory are deleted. */
  DATA,

  /** The server that the plugin uses has lost its data. */
  SERVICE,

  /** Interface, host and data together. */
  EVERYTHING,

  /** The plugin stores nothing that could get lost. */
  NOTHING
}
