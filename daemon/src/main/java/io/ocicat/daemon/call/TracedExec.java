package io.ocicat.daemon.call;

import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import java.util.Set;

/** Records in the call's trace how long delegates take. */
record TracedExec(PluginExec exec) implements PluginExec {
  private static final Set<String> IPAM =
      Set.of("host-local", "static", "dhcp", "ipam", "calico-ipam");

  @Override
  public PluginReply run(Invocation invocation) {
    String name = String.valueOf(invocation.executable().getFileName());
    Phase phase = IPAM.contains(name) ? Phase.IPAM : Phase.DELEGATE;
    String verb = invocation.environment().getOrDefault(CniEnvironment.COMMAND, "");
    return CallTrace.CURRENT
        .get()
        .timed(phase, () -> name + " " + verb, () -> exec.run(invocation));
  }
}
