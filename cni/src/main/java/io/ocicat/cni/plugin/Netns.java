package io.ocicat.cni.plugin;

import java.nio.file.Path;

/**
 * A container's network namespace: its name and the way into it. The two differ inside a daemon,
 * which is handed a descriptor because it may see other files under that name.
 *
 * @param text CNI_NETNS as it was given; this goes into results as sandbox
 * @param path what to open
 */
public record Netns(String text, Path path) {
  /** The text, as CNI_NETNS and results hold it. */
  @Override
  public String toString() {
    return text;
  }
}
