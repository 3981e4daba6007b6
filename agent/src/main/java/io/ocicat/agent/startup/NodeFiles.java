package io.ocicat.agent.startup;

import static io.ocicat.agent.startup.StartupException.Reason.FILE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.file.WholeFile;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The files by which the agent and the CNI plugin of a node know the same things. They are replaced
 * as a whole and only when their content changes; there is no newline at the end, which Calico
 * would take for a part of the name.
 *
 * @param nodeName the name of the node; that it exists shows the plugin that the node is registered
 * @param mtu the MTU of pods' interfaces
 */
public record NodeFiles(Path nodeName, Path mtu) {
  private static final Path FOLDER = Path.of("/var/lib/calico");
  private static final int MAX_BYTES = 4096;

  /** Where Calico has them, unless a variable says otherwise. */
  public static NodeFiles of(StartupSettings settings) {
    String name = settings.text("CALICO_NODENAME_FILE");
    return new NodeFiles(
        name.isEmpty() ? FOLDER.resolve("nodename") : Path.of(name), FOLDER.resolve("mtu"));
  }

  /**
   * Writes the node's name.
   *
   * @throws StartupException when that fails
   */
  void writeNodeName(String name) {
    write(nodeName, name);
  }

  /**
   * Writes the MTU of pods' interfaces.
   *
   * @return whether it has changed
   * @throws StartupException when that fails
   */
  public boolean writeMtu(int bytes) {
    return write(mtu, Integer.toString(bytes));
  }

  private static boolean write(Path file, String text) {
    byte[] content = text.getBytes(UTF_8);
    try {
      if (has(file, content)) {
        return false;
      }
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        Files.createDirectories(folder);
      }
      WholeFile.at(file).mode("rw-r--r--").durable().write(content);
      return true;
    } catch (IOException e) {
      throw new StartupException(FILE, "%s cannot be written: %s".formatted(file, e), e);
    }
  }

  private static boolean has(Path file, byte[] content) {
    try {
      return Arrays.equals(RegularFile.read(file, MAX_BYTES), content);
    } catch (IOException _) {
      return false;
    }
  }
}
