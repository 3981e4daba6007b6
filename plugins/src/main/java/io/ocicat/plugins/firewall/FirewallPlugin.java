package io.ocicat.plugins.firewall;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.Undo;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Lets the packets of a container through the host's firewall, which may drop everything by
 * default, and isolates containers on different bridges if configured.
 */
public final class FirewallPlugin implements Plugin {

  @Override
  public Result add(AddCall call) {
    FirewallConf conf = FirewallConf.read(call.config());
    if (conf.isBackendUnknown()) {
      call.log("backend \"%s\" is unknown: taking \"iptables\"".formatted(conf.backend()));
    }
    Result previous = previousResult(call);
    Optional<IsolatedBridge> bridge = IsolatedBridge.of(conf.ingressPolicy(), previous);
    String label = AttachmentOwner.of(call).label();
    List<IpAddress> addresses = addresses(previous);
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        Undo undo = new Undo()) {
      FilterRules rules = new FilterRules(host);
      bridge.ifPresent(side -> side.isolatePorts(host));
      undo.onFailure(() -> rules.withdraw(label, List.of()));
      rules.install(label, admission(conf, addresses, bridge));
      return undo.keep(previous);
    }
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    FirewallConf.read(config);
    return List.of();
  }

  @Override
  public void del(DelCall call) {
    List<IpAddress> last = call.previousResult().map(FirewallPlugin::addresses).orElse(List.of());
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      new FilterRules(host).withdraw(AttachmentOwner.of(call).label(), last);
    }
  }

  @Override
  public void check(CheckCall call) {
    FirewallConf conf = FirewallConf.read(call.config());
    Result previous = previousResult(call);
    Optional<IsolatedBridge> bridge = IsolatedBridge.of(conf.ingressPolicy(), previous);
    String label = AttachmentOwner.of(call).label();
    List<IpAddress> addresses = addresses(previous);
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      FilterRules rules = new FilterRules(host);
      AddressOwners owners = rules.owners();
      for (IpAddress address : addresses) {
        String owner = owners.of(address).orElse(label);
        if (!owner.equals(label)) {
          throw broken("address %s belongs to %s by now".formatted(address, owner));
        }
      }
      Optional<String> missing = rules.missing(admission(conf, addresses, bridge));
      if (missing.isPresent()) {
        throw broken("expected rule not found: iptables " + missing.get());
      }
      if (!owners.addressesOf(label).isEmpty()) {
        // The Go plugin does not change ports.
        bridge.ifPresent(side -> side.checkPorts(host));
      }
    }
  }

  @Override
  public void gc(GcCall call) {
    Optional<Set<Attachment>> valid = call.validAttachments();
    if (valid.isEmpty()) {
      return;
    }
    Set<String> keep = new HashSet<>();
    for (Attachment attachment : valid.get()) {
      AttachmentOwner.of(call.network(), attachment)
          .map(AttachmentOwner::label)
          .ifPresent(keep::add);
    }
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      FilterRules rules = new FilterRules(host);
      for (String label : rules.owners().labels()) {
        if (label.startsWith(AttachmentOwner.labelPrefix(call.network()))
            && !keep.contains(label)) {
          rules.withdraw(label, List.of());
        }
      }
      rules.collectIsolation(bridge -> host.link(bridge).isPresent());
    }
  }

  @Override
  public void status(StatusCall call) {
    FirewallConf.read(call.config());
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      host.netfilter().find(Generation.current());
    } catch (NetlinkException e) {
      throw new CniException(
          ErrorCode.PLUGIN_NOT_AVAILABLE,
          "nf_tables is not available (load the kernel module, run as root): " + e.getMessage(),
          e);
    }
  }

  @Override
  public List<String> supportedVersions() {
    return SpecVersion.textsFrom(SpecVersion.V0_4_0);
  }

  @Override
  public String about() {
    return "CNI firewall plugin (ocicat)";
  }

  private static Result previousResult(AttachmentCall call) {
    return call.previousResult()
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INVALID_NETWORK_CONFIG,
                    "missing prevResult from earlier plugin",
                    "put \"firewall\" after the plugin that creates the interface"));
  }

  private static List<IpAddress> addresses(Result result) {
    return result.ips().stream()
        .map(IpConfig::address)
        .map(prefix -> prefix.address())
        .distinct()
        .toList();
  }

  private static AttachmentRules admission(
      FirewallConf conf, List<IpAddress> addresses, Optional<IsolatedBridge> bridge) {
    return new AttachmentRules(conf.adminChain(), addresses, bridge.map(IsolatedBridge::isolation));
  }

  private static CniException broken(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }
}
