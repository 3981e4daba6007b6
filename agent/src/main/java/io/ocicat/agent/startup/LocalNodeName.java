package io.ocicat.agent.startup;

import io.ocicat.cni.CniException;
import io.ocicat.plugins.calicocluster.NodeName;
import java.nio.file.Path;

/**
 * Determines the name of this node: {@code NODENAME}, else what the file has, else {@code
 * HOSTNAME}, else the machine's host name.
 */
public final class LocalNodeName {
  private LocalNodeName() {}

  /**
   * Returns the name.
   *
   * @param file where the name is kept from start to start
   * @throws StartupException when it cannot be a node's name
   */
  public static String find(StartupSettings settings, Path file) {
    try {
      return new NodeName(settings.text("NODENAME"), file, true, settings.word("HOSTNAME"))
          .require();
    } catch (CniException e) {
      throw StartupException.badSetting(
          "%s: it must be lower-case letters, digits, - and .; set NODENAME, or write the right name to %s"
              .formatted(e.msg(), file));
    }
  }
}
