package io.ocicat.cni.plugin;

import io.ocicat.base.Deadline;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.TraceContext;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** One call of a plugin: the request, and the services the plugin may use for it. Immutable. */
public abstract sealed class Call permits AttachmentCall, GcCall, StatusCall {
  private final PluginConfig config;
  private final Map<String, String> environment;
  private final PluginHost host;
  private final PluginLog log;

  Call(PluginConfig config, Map<String, String> environment, PluginHost host, PluginLog log) {
    this.config = config;
    this.environment = Map.copyOf(environment);
    this.host = host;
    this.log = log;
  }

  final PluginHost host() {
    return host;
  }

  final PluginLog log() {
    return log;
  }

  /** Empty when it is not set, because the protocol does not distinguish the two. */
  final String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  /** The request; a plugin reads its own members with {@link PluginConfig#read}. */
  public final PluginConfig config() {
    return config;
  }

  public final NetworkName network() {
    return new NetworkName(config.name());
  }

  /** The version of the request and of the response. */
  public final SpecVersion version() {
    return config.specVersion();
  }

  /**
   * The host's network namespace: that of the plugin's caller, which differs from this process's in
   * a daemon.
   */
  public final Path hostNetns() {
    return host.namespaces().host();
  }

  /** The whole environment of the caller. */
  public final Map<String, String> environment() {
    return environment;
  }

  /** The call's position in a trace. Delegates inherit it automatically. */
  public final Optional<TraceContext> trace() {
    return TraceContext.from(environment);
  }

  /** When the caller stops waiting; anything slow should respect it. */
  public final Deadline deadline() {
    return host.deadline();
  }

  /** Writes a line to stderr. */
  public final void log(String line) {
    log.line(line);
  }

  /**
   * Another plugin, called with this very request.
   *
   * @throws io.ocicat.cni.CniException with code 7 when the type is not a valid executable name
   */
  public final Delegate delegate(String type) {
    return new Delegate(this, type, config);
  }

  /** Another plugin, called with a request that was made for it. */
  public final Delegate delegate(PluginConfig request) {
    return new Delegate(this, request.type(), request);
  }

  /**
   * The IPAM plugin that {@code ipam.type} names.
   *
   * @throws io.ocicat.cni.CniException with code 7 when there is none
   */
  public final Delegate ipam() {
    return Delegate.ipam(this, config);
  }

  /**
   * The same with another request than this call's, which names the IPAM plugin.
   *
   * @throws io.ocicat.cni.CniException with code 7 when it names none
   */
  public final Delegate ipam(PluginConfig request) {
    return Delegate.ipam(this, request);
  }
}
