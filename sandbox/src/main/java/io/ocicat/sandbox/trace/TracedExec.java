package io.ocicat.sandbox.trace;

import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;

/** Records each plugin call as a step. */
public record TracedExec(PluginExec exec) implements PluginExec {
  @Override
  public PluginReply run(Invocation invocation) {
    return PodTrace.step(
        StepKind.PLUGIN,
        () ->
            "%s %s %s"
                .formatted(
                    invocation.executable(),
                    invocation.environment().getOrDefault("CNI_COMMAND", ""),
                    invocation.environment().getOrDefault("CNI_IFNAME", ""))
                .stripTrailing(),
        () -> exec.run(invocation));
  }
}
