package io.ocicat.cni.plugin;

import java.nio.file.Path;

/**
 * A container's network namespace: its name and the path to open. The two differ inside a daemon,
 * which receives a descriptor because the name may mean another file to it.
 *
 * @param text CNI_NETNS as given; this is the sandbox in results
 * @param path what to open
 */
public record Netns(String text, Path path) {
  /** The text of CNI_NETNS and of results. */
  @Override
  public String toString() {
    return text;
  }
}
