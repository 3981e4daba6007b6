package io.ocicat.plugins.hostlocal;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.Capability;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.hostlocal.LeaseScan.Found;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Leases addresses from ranges that belong to this host. A lease is a file in the network's
 * directory, in the format of the Go plugin of this name, which may work on the same directory at
 * the same time.
 *
 * <p>One instance serves many calls and caches the content of the directories; {@link
 * IndexedDirectory} explains how it detects changes.
 */
public final class HostLocalPlugin implements Plugin {
  private final LeaseCache cache = new LeaseCache();

  @Override
  public Result add(AddCall call) {
    HostLocalConf conf = HostLocalConf.read(call.config()).requesting(call.args());
    requireRanges(conf);
    Dns dns = conf.resolvConf() == null ? Dns.NONE : ResolvConf.read(conf.resolvConf());
    try (Leases leases = open(conf.directory(), call);
        Undo undo = new Undo()) {
      List<IpConfig> ips = allocate(conf, leases, LeaseOwner.of(call), undo);
      return undo.keep(Result.empty().withIps(ips).withRoutes(conf.routes()).withDns(dns));
    }
  }

  private static List<IpConfig> allocate(
      HostLocalConf conf, Leases leases, LeaseOwner owner, Undo undo) {
    Set<IpAddress> requested = new LinkedHashSet<>(conf.requested());
    List<IpConfig> ips = new ArrayList<>();
    for (int number = 0; number < conf.sets().size(); number++) {
      RangeSet set = conf.sets().get(number);
      Optional<IpAddress> wanted = requested.stream().filter(set::contains).findFirst();
      wanted.ifPresent(requested::remove);
      RangeAllocation allocation = new RangeAllocation(leases, owner, set, number);
      Member given = allocation.allocate(wanted);
      undo.onFailure(allocation.leaseOf(given), leases::release);
      ips.add(IpConfig.of(given.inSubnet()).withGateway(given.range().gateway()));
    }
    if (!requested.isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          requested.stream()
              .map(IpAddress::toString)
              .collect(Collectors.joining(" ", "failed to allocate all requested IPs: ", "")),
          "each range set gives one address, and only of its ranges");
    }
    return ips;
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    HostLocalConf conf = HostLocalConf.read(config);
    if (!config.hasCapability(Capability.IP_RANGES)) {
      requireRanges(conf);
    }
    return List.of();
  }

  private static void requireRanges(HostLocalConf conf) {
    if (conf.sets().isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "no IP ranges specified",
          "neither ipam.ranges nor ipam.subnet nor runtimeConfig.ipRanges is there");
    }
  }

  /**
   * Releases before it checks the ranges: a configuration that became invalid is reported as the Go
   * plugin does, but keeps no address leased.
   */
  @Override
  public void del(DelCall call) {
    Path directory = HostLocalConf.directory(call.config());
    BestEffort.all(
        () -> release(LeaseOwner.of(call), directory, call),
        () -> HostLocalConf.read(call.config()));
  }

  private void release(LeaseOwner owner, Path directory, Call call) {
    try (Leases leases = open(directory, call)) {
      List<Found> held = leases.heldBy(owner);
      leases.releaseAll(held.isEmpty() ? leases.heldBy(owner.legacy()) : held);
    }
  }

  @Override
  public void check(CheckCall call) {
    HostLocalConf conf = HostLocalConf.read(call.config());
    LeaseOwner owner = LeaseOwner.of(call);
    Optional<Result> previous = call.previousResult();
    try (Leases leases = open(conf.directory(), call)) {
      List<Found> held = new ArrayList<>(leases.heldBy(owner));
      held.addAll(leases.heldBy(owner.legacy()));
      if (held.isEmpty()) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "host-local: Failed to find address added by container " + owner.id(),
            "no file in %s is a lease of %s".formatted(conf.directory(), owner));
      }
      Set<IpAddress> addresses =
          held.stream().flatMap(lease -> lease.address().stream()).collect(Collectors.toSet());
      for (IpConfig ip : previous.map(Result::ips).orElse(List.of())) {
        requireHeld(ip.address().address(), addresses, conf, leases, owner);
      }
    }
  }

  /** Addresses outside the ranges come from other plugins and are ignored. */
  private static void requireHeld(
      IpAddress address, Set<IpAddress> held, HostLocalConf conf, Leases leases, LeaseOwner owner) {
    if (!held.contains(address) && conf.sets().stream().anyMatch(set -> set.contains(address))) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "host-local: address %s of the previous result is not leased to %s"
              .formatted(address, owner),
          leases
              .holderOf(address)
              .map(holder -> "it is leased to " + holder)
              .orElse("it is leased to nobody: others may get it"));
    }
  }

  @Override
  public void gc(GcCall call) {
    Path directory = HostLocalConf.directory(call.config());
    Optional<Set<Attachment>> valid = call.validAttachments();
    if (valid.isPresent()) {
      try (Leases leases = open(directory, call)) {
        leases.releaseAll(leases.all().stream().filter(file -> file.isStale(valid.get())).toList());
      }
    }
  }

  /** ADD leases an address of every set, so a single full set makes it fail. */
  @Override
  public void status(StatusCall call) {
    HostLocalConf conf = HostLocalConf.read(call.config());
    try (Leases leases = open(conf.directory(), call)) {
      leases.requireWritable();
      for (int number = 0; number < conf.sets().size(); number++) {
        RangeSet set = conf.sets().get(number);
        if (leases.nextFree(set, number).isEmpty()) {
          throw RangeAllocation.exhausted(set, ErrorCode.PLUGIN_NOT_AVAILABLE);
        }
      }
    } catch (CniException e) {
      throw e.is(ErrorCode.IO_FAILURE)
          ? new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e)
          : e;
    }
  }

  private Leases open(Path directory, Call call) {
    return Leases.open(directory, call.deadline(), cache);
  }

  @Override
  public boolean isIpam() {
    return true;
  }

  @Override
  public String about() {
    return "CNI host-local plugin (ocicat)";
  }
}
