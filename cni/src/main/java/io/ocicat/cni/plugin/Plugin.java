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
   * Attaches the container. The result may be of any version; it is printed in the one that was
   * asked for. A plugin behind others returns their result, changed or not.
   */
  Result add(AddCall call);

  /**
   * Detaches the container: whatever {@link #add} made goes, as far as it is there. What is gone
   * already, the namespace included, is no failure.
   */
  void del(DelCall call);

  /**
   * Fails when what {@link #add} made is gone or wrong. A plugin that made nothing need not look.
   */
  default void check(CheckCall call) {}

  /**
   * Removes what belongs to this network and to none of the attachments that are still in use. A
   * plugin that keeps nothing beyond the life of a container's namespace has nothing to collect.
   */
  default void gc(GcCall call) {}

  /** Fails when {@link #add} could not work now: code 50, or 51 when containers suffer already. */
  default void status(StatusCall call) {}

  /**
   * Reads a configuration as {@link #add} would, and does nothing else: for those who want to know
   * what is wrong with it before a container comes. What only a call brings (arguments, what
   * capabilities are given, the result of plugins before) is missing then, and that is no mistake.
   *
   * @return what it would have other plugins do, as far as the configuration tells
   * @throws io.ocicat.cni.CniException as {@link #add} would
   */
  default List<Delegation> review(PluginConfig config) {
    return List.of();
  }

  /** The versions of configurations it understands, at least one. */
  default List<String> supportedVersions() {
    return SpecVersion.textsFrom(SpecVersion.V0_1_0);
  }

  /** One line for people who start the executable by hand; empty for none. */
  default String about() {
    return "";
  }
}
