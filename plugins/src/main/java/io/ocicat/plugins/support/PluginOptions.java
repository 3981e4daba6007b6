package io.ocicat.plugins.support;

import io.ocicat.cni.exec.PluginReply;
import java.io.InputStream;
import java.util.List;

/** The command-line options of a plugin's executable, which are no CNI call. */
public interface PluginOptions {
  /**
   * Runs what the flags ask for.
   *
   * @param version of this build
   * @param stdin what some options read
   */
  PluginReply run(List<String> flags, String version, InputStream stdin);
}
