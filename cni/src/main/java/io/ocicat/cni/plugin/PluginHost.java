package io.ocicat.cni.plugin;

import io.ocicat.cni.exec.Deadline;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import java.util.function.Consumer;

/**
 * What surrounds a plugin while it runs: a process of its own, a daemon, or some JVM.
 *
 * @param exec runs the plugins it delegates to
 * @param deadline when whoever asked stops waiting
 * @param stderr hears at once what the reply will hold at the end
 */
public record PluginHost(
    Namespaces namespaces, PluginExec exec, Deadline deadline, Consumer<String> stderr) {
  /** A process in which nothing else happens, or a library's caller that asks for nothing else. */
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
