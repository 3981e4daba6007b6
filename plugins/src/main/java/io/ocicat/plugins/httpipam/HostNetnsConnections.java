package io.ocicat.plugins.httpipam;

import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.netlink.ns.NetNs;
import java.util.function.Supplier;

/**
 * Opens connections from the network namespace of the plugin's caller, which inside a daemon may
 * differ from the process's.
 */
final class HostNetnsConnections {
  private HostNetnsConnections() {}

  static <T> T on(Call call, Supplier<T> code) {
    if (call.hostNetns().equals(Namespaces.OWN.host())) {
      return code.get();
    }
    try (NetNs host = NetNs.open(call.hostNetns());
        NetNs own = NetNs.current()) {
      return host.id().equals(own.id()) ? code.get() : host.call(code::get);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("nothing checked is thrown inside", e);
    }
  }
}
