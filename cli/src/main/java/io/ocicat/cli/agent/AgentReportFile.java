package io.ocicat.cli.agent;

import io.ocicat.agent.status.AgentReport;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import tools.jackson.databind.node.ObjectNode;

/** Reads what the node's agent says about itself. */
final class AgentReportFile {
  private AgentReportFile() {}

  /**
   * The report of the agent that runs.
   *
   * @throws IllegalStateException when none runs
   */
  static ObjectNode read(NodeContext context) throws IOException {
    Path run = context.folders().run();
    if (!isHeld(AgentReport.lock(run))) {
      throw new IllegalStateException(
          "no agent runs here (nobody holds %s): start one with \"ocicat agent\" or \"ocicat node\""
              .formatted(AgentReport.lock(run)));
    }
    try {
      return StoredJson.parseObject(Files.readString(AgentReport.file(run)));
    } catch (NoSuchFileException _) {
      throw new IllegalStateException("the agent is starting and has not reported yet: try again");
    }
  }

  private static boolean isHeld(Path lock) {
    if (!Files.exists(lock)) {
      return false;
    }
    return FileLock.tryAcquire(lock, FileLock.Mode.SHARED)
        .map(
            mine -> {
              mine.close();
              return false;
            })
        .orElse(true);
  }
}
