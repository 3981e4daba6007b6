package io.ocicat.cni.exec;

/**
 * Runs plugins: as processes, or in this JVM when they are our own. The caller cannot tell the
 * difference, and tests insert a recorder here.
 */
@FunctionalInterface
public interface PluginExec {
  /**
   * Runs it to its end.
   *
   * @throws io.ocicat.cni.CniException when it could not be started or had to be stopped; a plugin
   *     that ran and failed is a {@link PluginReply}
   */
  PluginReply run(Invocation invocation);
}
