package io.ocicat.cni.plugin;

import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Deadline;
import io.ocicat.cni.exec.TraceContext;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** One call of a plugin: what was asked, and what the plugin may use to do it. Immutable. */
public abstract sealed class Call permits AttachmentCall, GcCall, StatusCall {
  private final CallContext context;

  Call(CallContext context) {
    this.context = context;
  }

  final CallContext context() {
    return context;
  }

  /** The request; a plugin reads its own members with {@link PluginConfig#read}. */
  public final PluginConfig config() {
    return context.config();
  }

  public final NetworkName network() {
    return new NetworkName(context.config().name());
  }

  /** The version of the request and of the answer. */
  public final SpecVersion version() {
    return context.config().specVersion();
  }

  /**
   * What to open for the host's network namespace: that of whoever executed the plugin, which is
   * not that of this process when it is a daemon.
   */
  public final Path hostNetns() {
    return context.host().namespaces().host();
  }

  /** The whole environment of the caller. */
  public final Map<String, String> environment() {
    return context.environment();
  }

  /** Where in a trace this call belongs. Plugins it delegates to get it without further ado. */
  public final Optional<TraceContext> trace() {
    return TraceContext.from(context.environment());
  }

  /** When the caller stops waiting; whatever may take long should look at it. */
  public final Deadline deadline() {
    return context.host().deadline();
  }

  /** Tells people something: one line on stderr. */
  public final void log(String line) {
    context.log().line(line);
  }

  /**
   * Another plugin, to be asked with this very request.
   *
   * @throws io.ocicat.cni.CniException with code 7 when the type is no name of an executable
   */
  public final Delegate delegate(String type) {
    return new Delegate(context, type, context.config());
  }

  /** Another plugin, to be asked with a request that was made for it. */
  public final Delegate delegate(PluginConfig request) {
    return new Delegate(context, request.type(), request);
  }

  /**
   * The plugin that manages addresses, as {@code ipam.type} says.
   *
   * @throws io.ocicat.cni.CniException with code 7 when there is none
   */
  public final Delegate ipam() {
    return Delegate.ipam(context);
  }

  /**
   * The same with another request than this call's, which says who is meant.
   *
   * @throws io.ocicat.cni.CniException with code 7 when it names no IPAM plugin
   */
  public final Delegate ipam(PluginConfig request) {
    return Delegate.ipam(context, request);
  }
}
