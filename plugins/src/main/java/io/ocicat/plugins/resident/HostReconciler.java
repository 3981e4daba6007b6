package io.ocicat.plugins.resident;

import java.nio.file.Path;
import java.util.function.Consumer;

/** A plugin that keeps something on the host in line with a datastore that changes. */
public interface HostReconciler {
  /**
   * Brings the host in line with what the datastores of earlier calls say now. Called every few
   * seconds, by one thread.
   *
   * @param thorough whether to also check what changes rarely, or only by mistake
   * @param note receives what could not be done
   */
  void reconcile(Path hostNetns, boolean thorough, Consumer<String> note);
}
