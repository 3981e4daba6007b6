package io.ocicat.cni.plugin;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PluginType;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A plugin to which another one delegates a part of its work: found in CNI_PATH, executed with the
 * caller's environment except for the verb. The verb may differ from the call's: a failed ADD is
 * undone with {@link #del}. What it logs becomes part of the caller's log.
 */
public final class Delegate {
  /** Undoing has a time limit of its own: ADD often failed because its own had expired. */
  private static final Duration UNDO_LIMIT = Duration.ofSeconds(10);

  private final Call call;
  private final Map<String, String> environment;
  private final PluginType type;
  private final PluginConfig request;
  private final boolean ipam;

  Delegate(Call call, String type, PluginConfig request) {
    this(call, call.environment(), new PluginType(type), request, false);
  }

  private Delegate(
      Call call,
      Map<String, String> environment,
      PluginType type,
      PluginConfig request,
      boolean ipam) {
    this.call = call;
    this.environment = environment;
    this.type = type;
    this.request = request;
    this.ipam = ipam;
  }

  static Delegate ipam(Call call, PluginConfig request) {
    PluginType type = new PluginType(Delegation.toIpam(request).type());
    return new Delegate(call, call.environment(), type, request, true);
  }

  /** The same with other CNI_ARGS than the caller's. */
  public Delegate withArgs(CniArgs args) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(CniEnvironment.ARGS, args.toString());
    return new Delegate(call, changed, type, request, ipam);
  }

  public PluginType type() {
    return type;
  }

  /**
   * Runs ADD and, when that fails, DEL: no half attachment must remain. When something fails
   * afterwards, the caller runs DEL.
   *
   * @throws CniException the delegate's error; a {@link NotUndoneException} when DEL fails, too
   */
  public Result add() {
    Invocation add = invocation(Verb.ADD, limit());
    try {
      return checked(invoker().add(add, request.specVersion()));
    } catch (CniException e) {
      undo(e);
      throw e;
    }
  }

  /**
   * Runs ADD alone, for a caller that has used this delegate before: a DEL could remove that, too.
   *
   * @throws CniException the delegate's error
   */
  public Result addWithoutUndo() {
    return checked(invoker().add(invocation(Verb.ADD, limit()), request.specVersion()));
  }

  private Result checked(Result result) {
    if (ipam) {
      IpamResultCheck.check(type, result);
    }
    return result;
  }

  private void undo(CniException failure) {
    Duration left = limit();
    try {
      invoker().run(invocation(Verb.DEL, left.compareTo(UNDO_LIMIT) < 0 ? UNDO_LIMIT : left));
    } catch (CniException e) {
      throw new NotUndoneException(type, failure, e);
    }
  }

  public void del() {
    run(Verb.DEL);
  }

  /**
   * Runs DEL for an attachment of which only its name is left, not the one that the call is about:
   * GC uses it to remove what a delegate created for containers that are gone.
   */
  public void del(Attachment gone) {
    CniEnvironment variables =
        new CniEnvironment(
            Verb.DEL,
            new ContainerId(gone.containerId()).value(),
            "",
            new InterfaceName(gone.ifName()).value(),
            "",
            call.variable(CniEnvironment.PATH));
    invoker().run(invocation(variables.over(environment), limit()));
  }

  public void check() {
    run(Verb.CHECK);
  }

  public void gc() {
    run(Verb.GC);
  }

  public void status() {
    run(Verb.STATUS);
  }

  private void run(Verb verb) {
    invoker().run(invocation(verb, limit()));
  }

  private Duration limit() {
    return call.deadline().remaining();
  }

  private PluginInvoker invoker() {
    return new PluginInvoker(call.host().exec(), (_, text) -> call.log().write(text));
  }

  private Invocation invocation(Verb verb, Duration limit) {
    return invocation(CniEnvironment.delegated(environment, verb), limit);
  }

  private Invocation invocation(Map<String, String> variables, Duration limit) {
    String path = call.variable(CniEnvironment.PATH);
    if (path.isEmpty()) {
      throw RequiredVariables.missing(CniEnvironment.PATH);
    }
    return new Invocation(
        PluginPath.parse(path).find(type), variables, PluginStdin.of(request), limit, ipam);
  }
}
