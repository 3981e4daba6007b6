package io.ocicat.cni.runtime;

import io.ocicat.cni.ConfigList;
import java.nio.file.Path;
import java.util.List;

/**
 * A network as a configuration directory defines it.
 *
 * @param list what to run; a single-plugin file has become a list of one
 * @param folderFiles the files of the folder named like the network, each of which added a plugin
 *     after those in the list itself
 */
public record NetworkFile(Path file, ConfigList list, List<Path> folderFiles) {
  public NetworkFile {
    folderFiles = List.copyOf(folderFiles);
  }

  public String name() {
    return list.name();
  }
}
