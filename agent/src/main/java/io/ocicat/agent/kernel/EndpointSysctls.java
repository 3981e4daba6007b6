package io.ocicat.agent.kernel;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.CalicoNetwork;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Keeps the sysctls of workload interfaces, and forwarding of the node, as they must be. The kernel
 * announces changes of some of them; the others are read once a second ({@link #poll}). For one
 * thread.
 */
final class EndpointSysctls {
  /** The key of the node's own settings; no interface has this name. */
  private static final String NODE = "";

  private final NetNs host;
  private final LinkTable links;
  private final CalicoNetwork desired;
  private final RepairLog log;
  private final PendingKeys<String> pending;
  private final String reversePathFilter;
  private AgentConfig config;
  private final Set<String> applied = new HashSet<>();
  private final Map<String, String> problems = new HashMap<>();
  private long writes;

  EndpointSysctls(
      NetNs host,
      LinkTable links,
      CalicoNetwork desired,
      AgentConfig config,
      RepairLog log,
      LongSupplier nanoTime) {
    this.host = host;
    this.links = links;
    this.desired = desired;
    this.config = config;
    this.log = log;
    this.pending = new PendingKeys<>(nanoTime);
    this.reversePathFilter = Sysctl.of("net", "ipv4", "conf", "default", "rp_filter").readIn(host);
  }

  void configure(AgentConfig wanted) {
    config = wanted;
    resync();
  }

  void resync() {
    pending.now(NODE);
    pending.now(desired.interfaces());
  }

  /** An endpoint or its link changed. */
  void changed(String interfaceName) {
    pending.now(interfaceName);
  }

  /** The kernel announced a setting of a link; a negative index means the node's. */
  void announced(int link) {
    if (link <= 0) {
      pending.soon(NODE);
    } else {
      String name = links.name(link);
      if (applied.contains(name)) {
        pending.soon(name);
      }
    }
  }

  /** Reads what the kernel does not announce. */
  void poll() {
    List<String> changed =
        host.visit(
            () -> {
              List<String> names = new ArrayList<>();
              for (String name : applied) {
                if (!name.equals(NODE)
                    && (isDifferent(ipv4(name, "route_localnet"), "1")
                        || isDifferent(ipv6(name, "accept_ra"), "0"))) {
                  names.add(name);
                }
              }
              return names;
            });
    pending.now(changed);
  }

  void apply() {
    List<String> due = pending.take();
    if (due.isEmpty()) {
      return;
    }
    host.visit(
        () -> {
          due.forEach(this::applyHere);
          return due;
        });
  }

  private void applyHere(String name) {
    if (name.equals(NODE)) {
      writeHere(NODE, nodeSettings());
      return;
    }
    LocalEndpoint endpoint = desired.endpointOf(name).orElse(null);
    Link link = links.find(name).orElse(null);
    if (endpoint == null || link == null || !link.isRunning()) {
      applied.remove(name);
      problems.remove(name);
      return;
    }
    writeHere(name, settings(endpoint));
  }

  private Map<Sysctl, String> nodeSettings() {
    Map<Sysctl, String> settings = new LinkedHashMap<>();
    settings.put(Sysctl.of("net", "netfilter", "nf_conntrack_acct"), "1");
    if (config.ipForwarding()) {
      settings.put(Sysctl.of("net", "ipv4", "ip_forward"), "1");
      if (config.ipv6Support()) {
        settings.put(ipv6("all", "forwarding"), "1");
      }
    }
    return settings;
  }

  private Map<Sysctl, String> settings(LocalEndpoint endpoint) {
    String name = endpoint.interfaceName();
    Map<Sysctl, String> settings = new LinkedHashMap<>();
    settings.put(ipv6(name, "accept_ra"), "0");
    settings.put(ipv4(name, "route_localnet"), "1");
    settings.put(Sysctl.of("net", "ipv4", "neigh", name, "proxy_delay"), "0");
    settings.put(ipv4(name, "proxy_arp"), "1");
    settings.put(ipv4(name, "forwarding"), "1");
    settings.put(
        ipv4(name, "rp_filter"),
        endpoint.maySpoof() && config.workloadSourceSpoofing() ? "0" : reversePathFilter);
    if (config.ipv6Support()) {
      settings.put(ipv6(name, "proxy_ndp"), "1");
      settings.put(ipv6(name, "forwarding"), "1");
    }
    return settings;
  }

  private static Sysctl ipv4(String name, String setting) {
    return Sysctl.of("net", "ipv4", "conf", name, setting);
  }

  private static Sysctl ipv6(String name, String setting) {
    return Sysctl.of("net", "ipv6", "conf", name, setting);
  }

  private void writeHere(String name, Map<Sysctl, String> settings) {
    try {
      settings.forEach(
          (setting, value) -> {
            if (isDifferent(setting, value)) {
              if (applied.contains(name)) {
                log.write("%s was changed by somebody else: set to %s".formatted(setting, value));
              }
              setting.write(value);
              writes++;
            }
          });
      applied.add(name);
      problems.remove(name);
      pending.succeeded(name);
    } catch (NetlinkException e) {
      String message = String.valueOf(e.getMessage());
      if (!message.equals(problems.put(name, message))) {
        log.write(message);
      }
      pending.retry(name);
    }
  }

  /** A setting that does not exist, such as any of IPv6 where that is off, needs no value. */
  private static boolean isDifferent(Sysctl setting, String value) {
    try {
      return !setting.read().equals(value);
    } catch (NetlinkException e) {
      if (e.is(Errno.ENOENT)) {
        return false;
      }
      throw e;
    }
  }

  boolean isInForce(String interfaceName) {
    return applied.contains(interfaceName) && !problems.containsKey(interfaceName);
  }

  Map<String, String> problems() {
    return Map.copyOf(problems);
  }

  OptionalLong next() {
    return pending.next();
  }

  long writes() {
    return writes;
  }
}
