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

  private final CallContext context;
  private final PluginType type;
  private final PluginConfig request;
  private final boolean ipam;

  Delegate(CallContext context, String type, PluginConfig request) {
    this(context, type, request, false);
  }

  private Delegate(CallContext context, String type, PluginConfig request, boolean ipam) {
    this.context = context;
    this.type = new PluginType(type);
    this.request = request;
    this.ipam = ipam;
  }

  static Delegate ipam(CallContext context) {
    return ipam(context, context.config());
  }

  static Delegate ipam(CallContext context, PluginConfig request) {
    return new Delegate(context, Delegation.toIpam(request).type(), request, true);
  }

  /** The same with other CNI_ARGS than the caller's. */
  public Delegate withArgs(CniArgs args) {
    Map<String, String> environment = new HashMap<>(context.environment());
    environment.put(CniEnvironment.ARGS, args.toString());
    CallContext changed =
        new CallContext(context.config(), environment, context.host(), context.log());
    return new Delegate(changed, type.toString(), request, ipam);
  }

  public PluginType type() {
    return type;
  }

  /**
   * Runs ADD and, when that fails, DEL: no half attachment must remain. When something fails
   * afterwards, the caller runs DEL.
   *
   * @throws CniException the delegate's error
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
      failure.addSuppressed(e.prefixed("undoing it with %s failed too: ".formatted(type)));
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
    CniEnvironment environment =
        new CniEnvironment(
            Verb.DEL,
            new ContainerId(gone.containerId()).value(),
            "",
            new InterfaceName(gone.ifName()).value(),
            "",
            context.variable(CniEnvironment.PATH));
    invoker().run(invocation(environment.over(context.environment()), limit()));
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
    return context.host().deadline().remaining();
  }

  private PluginInvoker invoker() {
    return new PluginInvoker(context.host().exec(), (_, text) -> context.log().write(text));
  }

  private Invocation invocation(Verb verb, Duration limit) {
    return invocation(CniEnvironment.delegated(context.environment(), verb), limit);
  }

  private Invocation invocation(Map<String, String> environment, Duration limit) {
    String path = context.variable(CniEnvironment.PATH);
    if (path.isEmpty()) {
      throw RequiredVariables.missing(CniEnvironment.PATH);
    }
    return new Invocation(PluginPath.parse(path).find(type), environment, request.bytes(), limit);
  }
}
