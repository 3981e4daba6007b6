package io.ocicat.cli.doctor;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds other programs on the machine that interfere with the network.
 *
 * @param root where /proc and /etc are
 */
record OtherProgramsCheck(Path root) implements DoctorCheck {
  /** Devices that other network plugins create, by program. */
  private static final Map<String, String> DEVICES =
      Map.of(
          "cilium_host", "Cilium",
          "antrea-gw0", "Antrea",
          "weave", "Weave Net",
          "ovn-k8s-mp0", "OVN-Kubernetes",
          "ovn0", "Kube-OVN",
          "vxlan.calico", "Calico",
          "kube-bridge", "kube-router",
          "flannel.1", "flannel");

  @Override
  public String name() {
    return "neighbours";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    competitors(findings);
    Set<String> programs = programs();
    if (programs.contains("firewalld")) {
      findings.add(
          DoctorFinding.warning(
              "firewalld is running",
              "a reload removes iptables rules that are not its own, and its zones may drop what"
                  + " containers send; rules in our nf_tables tables stay",
              "put the bridges of containers into its trusted zone"));
    }
    if (programs.contains("systemd-network") && !networkdIsTold()) {
      findings.add(
          DoctorFinding.warning(
              "systemd-networkd is running and manages foreign routes and rules",
              "when it starts again it removes routes and rules that it did not make",
              "set ManageForeignRoutes=no and ManageForeignRoutingPolicyRules=no in"
                  + " /etc/systemd/networkd.conf.d/ocicat.conf"));
    }
    if (programs.contains("NetworkManager")) {
      findings.add(
          DoctorFinding.warning(
              "NetworkManager is running",
              "it may take over the host's ends of containers' veth pairs and their bridges",
              "add unmanaged-devices=interface-name:veth*;interface-name:cni* under [keyfile] in"
                  + " /etc/NetworkManager/conf.d/ocicat.conf"));
    }
    return findings;
  }

  private static void competitors(List<DoctorFinding> findings) {
    Set<String> found = new TreeSet<>();
    try (NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE)) {
      for (Link link : route.list(Links.all())) {
        String owner = DEVICES.get(link.name());
        if (owner != null) {
          found.add("%s (%s)".formatted(owner, link.name()));
        }
      }
    }
    if (!found.isEmpty()) {
      findings.add(
          DoctorFinding.note(
              "other network plugins are or were at work here: " + String.join(", ", found),
              "two that serve the same containers hand out the same addresses or remove each"
                  + " other's rules",
              "nothing if the two are meant to work together; else remove what is left of it"));
    }
  }

  /** The names of running programs; Linux truncates them to 15 characters. */
  private Set<String> programs() {
    Set<String> names = new HashSet<>();
    try (DirectoryStream<Path> processes =
        Files.newDirectoryStream(root.resolve("proc"), "[0-9]*")) {
      for (Path process : processes) {
        read(process.resolve("comm")).lines().findFirst().ifPresent(names::add);
      }
    } catch (IOException _) {
      // Unknown; the other checks say more.
    }
    return names;
  }

  private boolean networkdIsTold() {
    List<Path> files = new ArrayList<>(List.of(root.resolve("etc/systemd/networkd.conf")));
    for (String folder : List.of("etc", "run", "usr/lib")) {
      try (DirectoryStream<Path> parts =
          Files.newDirectoryStream(
              root.resolve(folder).resolve("systemd/networkd.conf.d"), "*.conf")) {
        parts.forEach(files::add);
      } catch (IOException _) {
        // There are none.
      }
    }
    return files.stream()
        .flatMap(file -> read(file).lines())
        .anyMatch(line -> line.strip().matches("(?i)ManageForeignRoutes\\s*=\\s*(no|false|0|off)"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException _) {
      return "";
    }
  }
}
