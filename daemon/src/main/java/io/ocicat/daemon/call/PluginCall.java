package io.ocicat.daemon.call;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.NamespaceId;
import java.util.Map;
import java.util.Optional;

/**
 * A call of one of our plugins.
 *
 * @param name the plugin's
 * @param hostNetns identifies the caller's namespace
 * @param netns identifies the container's; {@link NamespaceId#NONE} when there is none
 * @param startedNanos when the caller was started, by the clock that counts from boot
 */
public record PluginCall(
    String name,
    Plugin plugin,
    Map<String, String> environment,
    PluginStdin stdin,
    Namespaces namespaces,
    NamespaceId hostNetns,
    NamespaceId netns,
    Deadline deadline,
    long startedNanos) {

  /** A call by this process, from its own namespace. */
  public static PluginCall own(
      String name,
      Plugin plugin,
      Map<String, String> environment,
      PluginStdin stdin,
      Deadline deadline) {
    return new PluginCall(
        name,
        plugin,
        environment,
        stdin,
        Namespaces.OWN,
        NamespaceId.own(),
        NamespaceId.of(environment.getOrDefault(CniEnvironment.NETNS, "")),
        deadline,
        System.nanoTime());
  }

  /** Empty for an unknown verb, and for none. */
  public Optional<Verb> verb() {
    return Verb.find(variable(CniEnvironment.COMMAND));
  }

  public Optional<AttachmentKey> key() {
    return AttachmentKey.of(environment);
  }

  public String variable(String variable) {
    return environment.getOrDefault(variable, "");
  }

  /** The network's name; empty when the request has none, or cannot be read. */
  public String network() {
    try {
      return stdin.config().name();
    } catch (CniException _) {
      return "";
    }
  }

  /** The same with another verb. */
  PluginCall with(Verb verb) {
    return new PluginCall(
        name,
        plugin,
        CniEnvironment.delegated(environment, verb),
        stdin,
        namespaces,
        hostNetns,
        netns,
        deadline,
        startedNanos);
  }

  PluginCall within(Deadline other) {
    return new PluginCall(
        name, plugin, environment, stdin, namespaces, hostNetns, netns, other, startedNanos);
  }

  /** The reply to a call that failed. */
  public PluginReply failure(CniException why) {
    return PluginReply.failed(why.answering(version()), "");
  }

  private String version() {
    try {
      return stdin.config().cniVersion();
    } catch (CniException _) {
      return SpecVersion.LATEST.text();
    }
  }
}
