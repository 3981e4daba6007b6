package io.ocicat.plugins.portmap;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
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
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Forwards ports of the host to a container that other plugins have connected. The ports come from
 * the runtime, as the capability {@code portMappings}; the kernel does the forwarding, by the maps
 * of {@link PortmapTable}.
 */
public final class PortmapPlugin implements Plugin {

  @Override
  public Result add(AddCall call) {
    PortmapConf conf = PortmapConf.read(call.config());
    Result previous = call.requirePreviousResult();
    if (conf.mappings().isEmpty()) {
      return previous;
    }
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        Undo undo = new Undo()) {
      List<ContainerAddress> addresses = ContainerAddress.of(host, previous, call.ifName().value());
      PortClaim claim = PortClaim.of(AttachmentOwner.of(call).label(), conf, addresses);
      if (claim.forwards().isEmpty()) {
        call.log(
            "portmap: no port is mapped: prevResult has no address for %s of the family asked for"
                .formatted(call.ifName()));
      }
      GoHostPorts.requireFree(host, AttachmentOwner.of(call), claim.forwards());
      HostPorts ports = new HostPorts(host.netfilter(), call.deadline());
      List<Forward> effective = ports.assign(claim);
      undo.onFailure(() -> new HostPorts(host.netfilter()).release(claim.label()));
      claim.loopbackAddresses().forEach(address -> LoopbackAccess.open(host, address));
      deleteFlows(call, () -> StaleFlows.deleteBefore(host.netfilter(), effective));
      return undo.keep(previous);
    }
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    PortmapConf.read(config);
    return List.of();
  }

  @Override
  public void del(DelCall call) {
    AttachmentOwner owner = AttachmentOwner.of(call);
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      BestEffort.all(() -> remove(call, host, owner.label()), () -> GoPortmap.remove(host, owner));
    }
  }

  private static void remove(Call call, NetnsSockets host, String label) {
    // Without a deadline: a DEL that stopped half-way would start from the beginning every time.
    List<StoredForward> gone = new HostPorts(host.netfilter()).release(label);
    deleteFlows(call, () -> StaleFlows.deleteAfter(host.netfilter(), gone));
  }

  /** Some kernels cannot delete these entries; new clients are served all the same. */
  private static void deleteFlows(Call call, Runnable staleFlows) {
    try {
      staleFlows.run();
    } catch (NetlinkException e) {
      call.log("portmap: old UDP clients may still reach what was there before: " + e.getMessage());
    }
  }

  @Override
  public void check(CheckCall call) {
    PortmapConf conf = PortmapConf.read(call.config());
    Result previous = call.requirePreviousResult();
    if (conf.mappings().isEmpty()) {
      return;
    }
    AttachmentOwner owner = AttachmentOwner.of(call);
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      List<ContainerAddress> places = ContainerAddress.of(host, previous, call.ifName().value());
      new PortmapCheck(host, call.deadline())
          .require(owner, PortClaim.of(owner.label(), conf, places));
    }
  }

  @Override
  public void gc(GcCall call) {
    call.validAttachments().ifPresent(attachments -> collect(call, attachments));
  }

  private static void collect(GcCall call, Set<Attachment> attachments) {
    Set<AttachmentOwner> valid =
        attachments.stream()
            .flatMap(attachment -> AttachmentOwner.of(call.network(), attachment).stream())
            .collect(Collectors.toSet());
    Set<String> keep = valid.stream().map(AttachmentOwner::label).collect(Collectors.toSet());
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      HostPorts ports = new HostPorts(host.netfilter());
      BestEffort.all(
          () ->
              BestEffort.all(
                  ports.owners().stream()
                      .filter(
                          label -> label.startsWith(AttachmentOwner.labelPrefix(call.network())))
                      .filter(label -> !keep.contains(label))
                      .<Runnable>map(label -> () -> remove(call, host, label))
                      .toArray(Runnable[]::new)),
          ports::restoreTable,
          () -> ports.promote(_ -> true),
          () -> GoPortmap.collect(host, call.network(), valid));
    }
  }

  @Override
  public void status(StatusCall call) {
    PortmapConf.read(call.config());
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      try {
        host.netfilter().transact(PortmapTable.rehearsal());
      } catch (NetlinkException e) {
        if (!e.is(Errno.EEXIST)) {
          throw new CniException(
              ErrorCode.PLUGIN_NOT_AVAILABLE,
              "cannot forward ports: nf_tables refused to " + e.getMessage(),
              e);
        }
        new PortmapCheck(host, call.deadline()).requireTable(ErrorCode.LIMITED_CONNECTIVITY);
      }
    }
  }

  @Override
  public String about() {
    return "CNI portmap plugin (ocicat)";
  }
}
