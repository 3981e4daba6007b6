package io.ocicat.cni.plugin;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import java.util.function.Consumer;

/**
 * The environment in which a plugin runs: a process of its own, a daemon, or any JVM.
 *
 * @param exec runs the plugins it delegates to
 * @param deadline when the caller stops waiting
 * @param stderr receives at once what the reply will contain at the end
 */
public record PluginHost(
    Namespaces namespaces, PluginExec exec, Deadline deadline, Consumer<String> stderr) {
  /** A process that runs nothing else, or a library's caller without further requirements. */
  public static PluginHost process() {
    return new PluginHost(Namespaces.OWN, new ProcessExec(), Deadline.NEVER, _ -> {});
  }

  public PluginHost withExec(PluginExec newExec) {
    return new PluginHost(namespaces, newExec, deadline, stderr);
  }

  public PluginHost withDeadline(Deadline newDeadline) {
    return new PluginHost(namespaces, exec, newDeadline, stderr);
  }

  public PluginHost withStderr(Consumer<String> newStderr) {
    return new PluginHost(namespaces, exec, deadline, newStderr);
  }
}
