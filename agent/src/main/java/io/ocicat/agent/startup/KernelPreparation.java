package io.ocicat.agent.startup;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import java.util.ArrayList;
import java.util.List;

/** Switches on what forwarding between pods needs. Writes only what differs. */
public final class KernelPreparation {
  private static final Sysctl FORWARDING_V4 = Sysctl.of("net", "ipv4", "ip_forward");
  private static final Sysctl FORWARDING_V6 = Sysctl.of("net", "ipv6", "conf", "all", "forwarding");
  private static final Sysctl ACCOUNTING = Sysctl.of("net", "netfilter", "nf_conntrack_acct");
  private static final String NO_PACKETS = "no packet passes between pods and other machines";

  private KernelPreparation() {}

  /**
   * Prepares the kernel in the host's network namespace.
   *
   * @return what could not be done, one line each
   */
  public static List<String> ensure(NetNs host, AgentConfig config) {
    List<String> problems = new ArrayList<>();
    host.visit(
        () -> {
          if (config.ipForwarding()) {
            ensure(FORWARDING_V4, NO_PACKETS, problems);
            if (config.ipv6Support()) {
              ensure(FORWARDING_V6, NO_PACKETS, problems);
            }
          }
          ensure(ACCOUNTING, "connections are not counted", problems);
          return problems;
        });
    return List.copyOf(problems);
  }

  /** A setting that does not exist belongs to something that this kernel does without. */
  private static void ensure(Sysctl setting, String otherwise, List<String> problems) {
    try {
      if (!setting.read().equals("1")) {
        setting.write("1");
      }
    } catch (NetlinkException e) {
      if (!e.is(Errno.ENOENT)) {
        problems.add(
            "%s cannot be set to 1 (%s): %s; set it on the host"
                .formatted(setting, e.errno(), otherwise));
      }
    }
  }
}
