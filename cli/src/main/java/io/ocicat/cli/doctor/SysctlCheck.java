package io.ocicat.cli.doctor;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Checks sysctls of the machine's network that stop or slow the traffic of containers.
 *
 * @param attachments how many there are: plugins turn forwarding on with the first
 */
record SysctlCheck(int attachments) implements DoctorCheck {
  private static final Sysctl IP_FORWARD = Sysctl.parse("net.ipv4.ip_forward");
  private static final Sysctl BRIDGE_NF = Sysctl.parse("net.bridge.bridge-nf-call-iptables");
  private static final Sysctl TUNNELS = Sysctl.parse("net.core.fb_tunnels_only_for_init_net");
  private static final Sysctl TRACKED = Sysctl.parse("net.netfilter.nf_conntrack_count");
  private static final Sysctl TRACKED_MOST = Sysctl.parse("net.netfilter.nf_conntrack_max");
  private static final Sysctl NEIGHBOURS = Sysctl.parse("net.ipv4.neigh.default.gc_thresh3");

  @Override
  public String name() {
    return "sysctl";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    try (NetNs own = NetNs.current()) {
      if (is(own, IP_FORWARD, 0)) {
        findings.add(forwarding());
      }
      if (is(own, BRIDGE_NF, 1)) {
        findings.add(
            DoctorFinding.note(
                "net.bridge.bridge-nf-call-iptables is 1",
                "traffic between containers of one bridge passes the host's iptables rules, which"
                    + " may drop it",
                "set it to 0 unless kube-proxy or a policy needs it"));
      }
      if (is(own, TUNNELS, 0)) {
        findings.add(
            DoctorFinding.note(
                "net.core.fb_tunnels_only_for_init_net is 0",
                "where tunnel modules are loaded, every new namespace gets their devices, which"
                    + " makes starting and ending containers slower",
                "set it to 1"));
      }
      OptionalLong tracked = read(own, TRACKED);
      OptionalLong most = read(own, TRACKED_MOST);
      if (tracked.isPresent()
          && most.isPresent()
          && tracked.getAsLong() > most.getAsLong() / 10 * 9) {
        findings.add(
            DoctorFinding.problem(
                "%d of %d tracked connections are in use"
                    .formatted(tracked.getAsLong(), most.getAsLong()),
                "when none is left, new connections of all containers are dropped",
                "raise net.netfilter.nf_conntrack_max, or find out who opens so many"));
      }
      OptionalLong neighbours = read(own, NEIGHBOURS);
      if (neighbours.isPresent() && attachments > neighbours.getAsLong() / 10 * 8) {
        findings.add(
            DoctorFinding.warning(
                "net.ipv4.neigh.default.gc_thresh3 is %d for %d attachments"
                    .formatted(neighbours.getAsLong(), attachments),
                "the host can know only so many neighbours; the others are unreachable",
                "raise gc_thresh1 to gc_thresh3"));
      }
    }
    return findings;
  }

  private DoctorFinding forwarding() {
    String what = "net.ipv4.ip_forward is 0";
    String why = "the host passes no packets on between containers and other machines";
    return attachments > 0
        ? DoctorFinding.problem(
            what, why, "set it to 1, and find out who set it to 0 after containers were attached")
        : DoctorFinding.note(
            what, why, "nothing: plugins that make the host a gateway set it with the first ADD");
  }

  private static boolean is(NetNs own, Sysctl setting, long value) {
    return read(own, setting).equals(OptionalLong.of(value));
  }

  /** Empty when the kernel has no such setting. */
  private static OptionalLong read(NetNs own, Sysctl setting) {
    try {
      return OptionalLong.of(Long.parseLong(setting.readIn(own).strip()));
    } catch (NetlinkException | NumberFormatException _) {
      return OptionalLong.empty();
    }
  }
}
