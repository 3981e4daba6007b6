package io.ocicat.daemon.call;

import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.NetlinkRequest;
import java.util.Optional;

/** Runs a plugin without locks or journal. Thread-safe. */
final class PluginExecution {
  private final DaemonState state;
  private final PluginExecutables ours;
  private final NamespaceId ownNetns = NamespaceId.own();
  private final PluginExec processes = new ProcessExec();

  PluginExecution(DaemonState state, PluginExecutables ours) {
    this.state = state;
    this.ours = ours;
  }

  NamespaceId ownNetns() {
    return ownNetns;
  }

  /** Whether a call did anything that could have an effect. For the thread of the call. */
  static final class Effects {
    private boolean any;

    boolean any() {
      return any;
    }
  }

  PluginReply run(PluginCall call) {
    return run(call, new Effects());
  }

  /**
   * Runs it and records whether it got as far as changing the kernel or calling another plugin.
   * IPAM plugins do neither, so every failed call of theirs counts as having had an effect.
   */
  PluginReply run(PluginCall call, Effects effects) {
    effects.any |= call.plugin().isIpam();
    ExchangeListener others = ExchangeListener.PRESENT.orElse((_, _, _) -> {});
    ExchangeListener noting =
        (requests, start, end) -> {
          effects.any |= !requests.stream().allMatch(NetlinkRequest::isRead);
          others.exchanged(requests, start, end);
        };
    return ScopedValue.where(ExchangeListener.PRESENT, noting)
        .call(() -> runWatched(call, effects));
  }

  private PluginReply runWatched(PluginCall call, Effects effects) {
    Namespaces namespaces = call.namespaces();
    boolean elsewhere = !namespaces.equals(Namespaces.OWN) && !call.hostNetns().equals(ownNetns);
    PluginExec others =
        new CallersExec(
            processes,
            elsewhere ? Optional.of(namespaces.host()) : Optional.empty(),
            call.key().map(AttachmentKey::toString).orElse(""),
            state.runDirectory());
    PluginExec inProcess = new InProcessExec(ours::find, others, namespaces);
    PluginExec exec =
        invocation -> {
          effects.any = true;
          return state.delegating(() -> traced(inProcess, invocation));
        };
    PluginHost host = new PluginHost(namespaces, exec, call.deadline(), _ -> {});
    return state.watched(
        () -> Dispatcher.dispatch(call.plugin(), host, call.environment(), call.stdin()));
  }

  /** Runs a delegate, and records how long it takes if this call is traced. */
  private static PluginReply traced(PluginExec exec, Invocation invocation) {
    if (!CallTrace.CURRENT.isBound()) {
      return exec.run(invocation);
    }
    // Steps are kept for whoever looks: they must not keep the request from being free.
    String name = String.valueOf(invocation.executable().getFileName());
    String command = invocation.command();
    return CallTrace.CURRENT
        .get()
        .timed(
            invocation.ipam() ? Phase.IPAM : Phase.DELEGATE,
            () -> name + " " + command,
            () -> exec.run(invocation));
  }

  /** Records what took time since {@code start}, if this call is traced. */
  static void trace(Phase phase, String detail, long start) {
    if (CallTrace.CURRENT.isBound()) {
      CallTrace.CURRENT.get().add(phase, () -> detail, start, System.nanoTime());
    }
  }
}
