package io.ocicat.cni.plugin;

import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import java.util.List;

/**
 * A CNI plugin. By the time a method is called, the environment, the configuration and their
 * versions have been checked; a failure is any exception, preferably a {@link
 * io.ocicat.cni.CniException} with a code of its own.
 *
 * <p>A plugin that delegates to another one, for instance for addresses, forwards every verb to it:
 * {@code call.ipam().check()} and so on. Implementations are stateless or thread-safe: a daemon
 * serves many calls at once with one instance.
 */
public interface Plugin {
  /**
   * Attaches the container. The result may be of any version; it is printed in the requested one. A
   * plugin that follows others returns their result, changed or not.
   */
  Result add(AddCall call);

  /**
   * Detaches the container: removes whatever {@link #add} created and still exists. What is already
   * gone, the namespace included, is not an error.
   */
  void del(DelCall call);

  /**
   * Fails when what {@link #add} created is gone or wrong. A plugin that created nothing has
   * nothing to check.
   */
  default void check(CheckCall call) {}

  /**
   * Removes what belongs to this network and to none of the valid attachments. A plugin that keeps
   * nothing beyond the lifetime of a container's namespace has nothing to collect.
   */
  default void gc(GcCall call) {}

  /**
   * Fails when {@link #add} could not work now: with code 50, or 51 when existing containers are
   * affected.
   */
  default void status(StatusCall call) {}

  /**
   * Reads a configuration as {@link #add} would, without doing anything: to find mistakes before a
   * container is attached. What only a call supplies (arguments, values of capabilities, the result
   * of previous plugins) is missing, which is not a mistake.
   *
   * @return its delegations to other plugins, as far as the configuration determines them
   * @throws io.ocicat.cni.CniException as {@link #add} would
   */
  default List<Delegation> review(PluginConfig config) {
    return List.of();
  }

  /** The versions of configurations it supports, at least one. */
  default List<String> supportedVersions() {
    return SpecVersion.textsFrom(SpecVersion.V0_1_0);
  }

  /**
   * Whether it is an IPAM plugin: it allocates addresses for plugins that delegate to it, and
   * changes nothing else.
   */
  default boolean isIpam() {
    return false;
  }

  /** One line for people who start the executable by hand; empty for none. */
  default String about() {
    return "";
  }
}
