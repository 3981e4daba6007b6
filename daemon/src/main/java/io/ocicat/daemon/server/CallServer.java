package io.ocicat.daemon.server;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.PluginCall;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireException;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.PeerCredentials;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.linux.UnixSocket;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Serves callers at the daemon's socket, one call per connection. */
public final class CallServer {
  /** A shim sends its request in one go; a client that takes longer is not a shim. */
  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(2);

  private static final Path NOWHERE = Path.of("/proc/self/fd/none");

  private final CallRunner runner;
  private final CallAdmission admission;
  private final DaemonEvents events;
  private final FilesystemView ownPlace = FilesystemView.own();
  private final RequestBudget budget = new RequestBudget();
  private final ConnectionWorkers workers;
  private final Set<CallerConnection> connections = ConcurrentHashMap.newKeySet();
  private final FinishedCalls finished;
  private volatile long lastCall = System.nanoTime();

  public CallServer(
      UnixListener listener,
      CallRunner runner,
      CallAdmission admission,
      int mostConnections,
      DaemonEvents events,
      Clock clock) {
    this.runner = runner;
    this.admission = admission;
    this.events = events;
    this.finished = new FinishedCalls(clock);
    this.workers = new ConnectionWorkers(listener, mostConnections, this::serve);
  }

  public void start() {
    workers.start();
  }

  /** How many calls are in progress or wait for their turn. */
  public int inFlight() {
    return connections.size();
  }

  /**
   * A call that has not been answered yet.
   *
   * @param containerId from the request; empty when it has none
   */
  public record UnderWay(String plugin, String verb, String containerId, long nanos) {
    /** A description for people. */
    public String about() {
      return plugin + " " + verb + " " + containerId;
    }
  }

  /** The calls that have not been answered yet, the oldest first. */
  public List<UnderWay> underWay() {
    return connections.stream()
        .map(CallerConnection::underWay)
        .sorted(Comparator.comparingLong(UnderWay::nanos).reversed())
        .toList();
  }

  /** For how long there has been no call. Declined calls do not count. */
  public Duration idleFor() {
    return connections.isEmpty() ? Duration.ofNanos(System.nanoTime() - lastCall) : Duration.ZERO;
  }

  /** How many wait for their turn. */
  public int waiting() {
    return admission.waiting();
  }

  /** Sends keep-alives to waiting callers, and reports calls that take too long. */
  public void checkCalls(Duration stuckAfter) {
    for (CallerConnection connection : connections) {
      connection.sendKeepAlive();
      UnderWay call = connection.underWay();
      if (call.nanos() > stuckAfter.toNanos()) {
        StackTraceElement[] where = connection.reportStuck();
        if (where.length > 0) {
          events.stuck(call.about(), call.nanos(), where);
        }
      }
    }
  }

  /** Stops accepting and waits for the calls in progress. */
  public boolean drain(Duration limit) throws InterruptedException {
    return workers.drain(limit);
  }

  private void serve(UnixSocket socket) {
    long accepted = System.nanoTime();
    try (socket) {
      PeerCredentials peer = socket.peer();
      if (!peer.isRoot()) {
        decline(
            socket,
            DeclineReason.PEER,
            "permission denied: this socket needs root, not uid %d".formatted(peer.uid()));
        return;
      }
      receive(socket, accepted);
    } catch (NetlinkException e) {
      events.declined(DeclineReason.CONNECTION, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      events.note("a call failed unexpectedly: " + e);
    }
  }

  private void receive(UnixSocket socket, long accepted) {
    try (RequestBudget.Share share = budget.of(socket)) {
      Optional<WireRequest> request;
      try {
        request = WireRequest.receive(socket, REQUEST_LIMIT, share);
      } catch (WireException e) {
        decline(socket, DeclineReason.FRAME, String.valueOf(e.getMessage()));
        return;
      }
      if (request.isPresent()) {
        try (WireRequest received = request.get()) {
          serve(socket, received, accepted);
        }
      }
    }
  }

  private void decline(UnixSocket socket, DeclineReason kind, String why) {
    events.declined(kind, why);
    try {
      socket.send(new WireReply.Declined(why).bytes(), Duration.ofMillis(100));
    } catch (NetlinkException _) {
      // The caller will notice that there is no reply.
    }
  }

  private void serve(UnixSocket socket, WireRequest request, long accepted) {
    Optional<DeclineReason> refusal = refusal(request);
    if (refusal.isPresent()) {
      decline(socket, refusal.get(), words(refusal.get()));
      return;
    }
    Optional<Plugin> plugin = runner.plugin(request.plugin());
    if (plugin.isEmpty()) {
      String why = "there is no plugin \"%s\"".formatted(request.plugin());
      decline(socket, DeclineReason.UNKNOWN_PLUGIN, why);
      return;
    }
    CallerConnection connection = new CallerConnection(socket, request, accepted);
    connections.add(connection);
    try {
      CallTrace trace = new CallTrace(accepted, TraceContext.from(request.environment()));
      long callerStart = Math.min(accepted, request.startedNanos());
      trace.add(Phase.ARRIVE, () -> "shim", callerStart, System.nanoTime());
      PluginCall call = call(request, plugin.get());
      long began = System.nanoTime();
      PluginReply reply = run(call, connection, trace);
      long replying = System.nanoTime();
      boolean sent = connection.answer(new WireReply.Done(reply));
      long end = System.nanoTime();
      trace.add(Phase.REPLY, () -> "answer", replying, end);
      events.finished(finished.describe(call, reply, trace, callerStart, end), trace);
      boolean attached = reply.exitCode() == 0 && call.verb().equals(Optional.of(Verb.ADD));
      if (attached && (!sent || connection.answerIsLost())) {
        runner.undoUnanswered(call, began);
        events.note(
            "undid %s: its caller was gone before it was told of the success"
                .formatted(connection.underWay().about()));
      }
    } finally {
      lastCall = System.nanoTime();
      connections.remove(connection);
    }
  }

  private PluginReply run(PluginCall call, CallerConnection connection, CallTrace trace) {
    long asked = System.nanoTime();
    Verb verb = call.verb().orElse(Verb.VERSION);
    // Not the call itself, which the trace would keep from being free.
    String name = call.name();
    try (CallAdmission.@Nullable Turn turn = admission.enter(verb, call.deadline())) {
      trace.add(Phase.QUEUE, () -> "turn", asked, System.nanoTime());
      if (turn == null) {
        return tooBusy(call);
      }
      return ScopedValue.where(CallTrace.CURRENT, trace)
          .where(ExchangeListener.PRESENT, trace)
          .where(RequestListener.CURRENT, trace)
          .call(
              () ->
                  trace.timed(
                      Phase.PLUGIN, () -> name, () -> runner.run(call, connection::callerIsGone)));
    }
  }

  private static PluginReply tooBusy(PluginCall call) {
    return call.failure(
        new CniException(
                ErrorCode.TRY_AGAIN_LATER,
                "ocicatd was too busy to begin with %s in time".formatted(call.name()))
            .because(FailureReason.OVERLOADED));
  }

  /** Why the caller has to make the call itself: it sees other files than this process. */
  private Optional<DeclineReason> refusal(WireRequest request) {
    FilesystemView filesystem = request.place();
    if (request.hostNetns().isEmpty()) {
      return Optional.of(DeclineReason.NO_NETWORK_NAMESPACE);
    }
    if (filesystem.userNamespace() != ownPlace.userNamespace()) {
      return Optional.of(DeclineReason.USER_NAMESPACE);
    }
    if (filesystem.mountNamespace() != ownPlace.mountNamespace()) {
      return Optional.of(DeclineReason.MOUNT_NAMESPACE);
    }
    if (!filesystem.equals(ownPlace)) {
      return Optional.of(DeclineReason.ROOT_DIRECTORY);
    }
    return request.directory().equals(WireRequest.OWN_DIRECTORY) || !RelativePaths.areIn(request)
        ? Optional.empty()
        : Optional.of(DeclineReason.WORKING_DIRECTORY);
  }

  private static String words(DeclineReason refusal) {
    return switch (refusal) {
      case NO_NETWORK_NAMESPACE -> "the request lacks the caller's network namespace";
      case USER_NAMESPACE -> "the caller is in another user namespace";
      case MOUNT_NAMESPACE ->
          "the caller is in another mount namespace, where paths may lead to other files";
      case ROOT_DIRECTORY -> "the caller has another root directory";
      case WORKING_DIRECTORY ->
          "the request has a relative path, and the caller has another working directory";
      case PEER, FRAME, CONNECTION, UNKNOWN_PLUGIN -> refusal.label();
    };
  }

  private static PluginCall call(WireRequest request, Plugin plugin) {
    String netns = request.variable(CniEnvironment.NETNS);
    Path host = path(request.hostNetns().orElseThrow().number());
    Path container = request.containerNetns().map(fd -> path(fd.number())).orElse(NOWHERE);
    Namespaces namespaces =
        new Namespaces(host, netns.isEmpty() ? Map.of() : Map.of(netns, container));
    return new PluginCall(
        request.plugin(),
        plugin,
        request.environment(),
        PluginStdin.of(request.stdin()),
        namespaces,
        NamespaceId.of(request.hostNetns().orElseThrow()),
        request.containerNetns().map(NamespaceId::of).orElse(NamespaceId.NONE),
        Deadline.in(request.limit()),
        request.startedNanos());
  }

  private static Path path(int descriptor) {
    return Path.of("/proc/self/fd/" + descriptor);
  }
}
