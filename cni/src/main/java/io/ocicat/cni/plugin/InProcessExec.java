package io.ocicat.cni.plugin;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Runs our own plugins in this JVM and all others with another executor. The plugin gets the very
 * configuration that its caller has, and the caller its result or exception; nothing is printed or
 * parsed. Otherwise neither can tell that it has no process of its own. Delegates of these plugins
 * are run here, too. Thread-safe if its parts are.
 *
 * <p>Nothing can stop a plugin in this JVM from outside: it gets a deadline and is trusted to
 * respect it.
 */
public final class InProcessExec implements PluginExec {
  /** The delegates that the current call is nested in. */
  private static final ScopedValue<List<Path>> RUNNING = ScopedValue.newInstance();

  private final Function<Path, Optional<Plugin>> ours;
  private final PluginExec others;
  private final Namespaces namespaces;

  /**
   * @param ours maps an executable to our plugin, if it is one
   * @param namespaces those of the call; {@link Namespaces#OWN} outside a daemon
   */
  public InProcessExec(
      Function<Path, Optional<Plugin>> ours, PluginExec others, Namespaces namespaces) {
    this.ours = ours;
    this.others = others;
    this.namespaces = namespaces;
  }

  @Override
  public PluginReply run(Invocation invocation) {
    return ours.apply(invocation.executable())
        .map(plugin -> dispatchOnce(plugin, invocation))
        .orElseGet(() -> others.run(invocation));
  }

  /** A plugin that delegates to itself, even indirectly, would do so without end. */
  private PluginReply dispatchOnce(Plugin plugin, Invocation invocation) {
    List<Path> outer = RUNNING.orElse(List.of());
    if (outer.contains(invocation.executable())) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "plugin %s would delegate to itself without end".formatted(invocation.executable()),
          "ipam.type and delegate.type must name other plugins");
    }
    List<Path> inner = new ArrayList<>(outer);
    inner.add(invocation.executable());
    return ScopedValue.where(RUNNING, List.copyOf(inner)).call(() -> dispatch(plugin, invocation));
  }

  private PluginReply dispatch(Plugin plugin, Invocation invocation) {
    // The caller gets the log output from the reply, as from a process.
    PluginHost host = new PluginHost(namespaces, this, Deadline.in(invocation.limit()), _ -> {});
    return Dispatcher.dispatch(plugin, host, invocation.environment(), invocation.stdin());
  }
}
