package io.ocicat.conformance.subject;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The kind of a plugin, which decides which checks apply. */
public enum PluginKind {
  /** Makes CNI_IFNAME in the container: bridge, ptp, macvlan. */
  INTERFACE,

  /** Turns the loopback that every namespace has up and down. */
  LOOPBACK,

  /** Hands out addresses and touches no interface: host-local, static. */
  IPAM,

  /** Works on the interface that a plugin before it made: portmap, tuning. */
  CHAINED;

  /** By the name used on the command line. */
  public static Optional<PluginKind> find(String name) {
    return Arrays.stream(values()).filter(kind -> kind.toString().equals(name)).findFirst();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
