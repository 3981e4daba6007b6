package io.ocicat.agent.bird;

import io.ocicat.agent.kernel.RepairLog;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What is wrong with BIRD, at most one line per topic; a new line is logged once. */
final class BirdFailures {
  private final Map<Topic, String> lines = new EnumMap<>(Topic.class);
  private final RepairLog log;

  enum Topic {
    START,
    ANSWER,
    CONFIGURATION,
    PORT,
    FILES,
    END
  }

  BirdFailures(RepairLog log) {
    this.log = log;
  }

  void set(Topic topic, String line) {
    if (!line.equals(lines.put(topic, line))) {
      log.write(line);
    }
  }

  void clear(Topic topic) {
    lines.remove(topic);
  }

  void clear() {
    lines.clear();
  }

  List<String> lines() {
    return List.copyOf(lines.values());
  }
}
