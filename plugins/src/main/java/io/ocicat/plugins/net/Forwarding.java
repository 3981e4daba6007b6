package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;

/** Enables IP forwarding on a host. */
public final class Forwarding {
  private static final Sysctl V4 = Sysctl.of("net", "ipv4", "ip_forward");
  private static final Sysctl V6 = Sysctl.of("net", "ipv6", "conf", "all", "forwarding");

  private Forwarding() {}

  /**
   * Enables it for a family. Nothing is written where it is already on, so that a read-only
   * /proc/sys suffices.
   *
   * @throws CniException when it can be neither read nor written
   */
  public static void enable(NetnsSockets host, IpFamily family) {
    host.namespace()
        .visit(
            () -> {
              enableHere(family);
              return family;
            });
  }

  /** The same for a caller that is already inside the host's namespace. */
  public static void enableHere(IpFamily family) {
    Sysctl setting = setting(family);
    try {
      if (!setting.read().equals("1")) {
        setting.write("1");
      }
    } catch (NetlinkException e) {
      throw new CniException(
          ErrorCode.INTERNAL, "failed to enable forwarding: %s".formatted(e.getMessage()), e);
    }
  }

  public static boolean isEnabled(NetnsSockets host, IpFamily family) {
    return host.read(setting(family)).equals("1");
  }

  private static Sysctl setting(IpFamily family) {
    return switch (family) {
      case V4 -> V4;
      case V6 -> V6;
    };
  }
}
