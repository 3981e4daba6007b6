package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Executes external plugins in the caller's network namespace. Their environment names the
 * attachment they work for, because they may call us while we hold its lock.
 *
 * @param processes runs them in the namespace of the thread
 * @param netns the caller's namespace, when it is not this process's own
 * @param runDirectory where our records are, and where calls that the plugin makes to us are served
 */
record CallersExec(PluginExec processes, Optional<Path> netns, String within, Path runDirectory)
    implements PluginExec {
  /** Names the attachment for whose call this process was started. */
  static final String WITHIN = "OCICAT_WITHIN";

  static final String RUN_DIRECTORY = "OCICAT_RUN_DIR";

  @Override
  public PluginReply run(Invocation invocation) {
    Map<String, String> environment = new HashMap<>(invocation.environment());
    environment.put(WITHIN, within);
    environment.put(RUN_DIRECTORY, runDirectory.toString());
    Invocation marked = invocation.in(environment);
    if (netns.isEmpty()) {
      return processes.run(marked);
    }
    try (NetNs there = NetNs.open(netns.get())) {
      return there.call(() -> processes.run(marked));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CniException(
          ErrorCode.INTERNAL, "cannot execute %s".formatted(invocation.executable()), e);
    }
  }
}
