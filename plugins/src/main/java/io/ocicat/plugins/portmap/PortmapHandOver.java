package io.ocicat.plugins.portmap;

import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Set;

/**
 * Hands host ports over to the Go plugin. Its own ADD creates its rules, in whichever form its DEL
 * removes; this class does what comes before and after. The caller ensures that no ADD or DEL of
 * the attachment runs meanwhile.
 */
public final class PortmapHandOver {
  private PortmapHandOver() {}

  /** The labels of all owners of ports in our table. */
  public static Set<String> owners(NetnsSockets host) {
    return host.hasNfTables() ? new HostPorts(host.netfilter()).owners() : Set.of();
  }

  /** Whether a request asks for ports at all. */
  public static boolean hasPorts(PluginConfig request) {
    return !PortmapConf.read(request).mappings().isEmpty();
  }

  /** Whether the Go plugin already forwards what the request of an ADD asks for. */
  public static boolean isDone(NetnsSockets host, AttachmentOwner owner, PluginConfig request) {
    PortmapConf conf = PortmapConf.read(request);
    Result previous = request.previousResult().orElseGet(Result::empty);
    List<ContainerAddress> addresses = ContainerAddress.of(host, previous, owner.ifName().value());
    return GoHostPorts.hasAll(host, owner, PortClaim.of(owner.label(), conf, addresses).forwards());
  }

  /** Removes the forwards from our table. */
  public static void release(NetnsSockets host, String label) {
    new HostPorts(host.netfilter()).release(label);
  }
}
