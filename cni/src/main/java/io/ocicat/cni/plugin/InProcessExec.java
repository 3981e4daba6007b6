package io.ocicat.cni.plugin;

import io.ocicat.cni.exec.Deadline;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.Reply;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Runs the plugins that are our own in this JVM and leaves the others to somebody else. The request
 * still travels as environment and bytes: a plugin cannot tell that it has no process of its own,
 * nor can whoever asks. Plugins that delegate do so through here again. Thread-safe if its parts
 * are.
 *
 * <p>Nothing can stop a plugin of this JVM from outside: it is told its deadline and trusted.
 */
public final class InProcessExec implements PluginExec {
  private final Function<Path, Optional<Plugin>> ours;
  private final PluginExec others;
  private final Namespaces namespaces;

  /**
   * @param ours which plugin an executable is, when it is one of ours
   * @param namespaces those of the call; {@link Namespaces#OWN} outside a daemon
   */
  public InProcessExec(
      Function<Path, Optional<Plugin>> ours, PluginExec others, Namespaces namespaces) {
    this.ours = ours;
    this.others = others;
    this.namespaces = namespaces;
  }

  @Override
  public Reply run(Invocation invocation) {
    return ours.apply(invocation.executable())
        .map(plugin -> dispatch(plugin, invocation))
        .orElseGet(() -> others.run(invocation));
  }

  private Reply dispatch(Plugin plugin, Invocation invocation) {
    // Whoever asked hears what it logs from the reply, as from a process.
    PluginHost host = new PluginHost(namespaces, this, Deadline.in(invocation.limit()), _ -> {});
    return Dispatcher.dispatch(plugin, host, invocation.environment(), invocation.stdin());
  }
}
