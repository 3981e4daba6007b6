package io.ocicat.agent.bird;

import java.util.List;

/**
 * What {@code show status} says.
 *
 * @param started local time, as BIRD prints it
 * @param configured likewise, of the last configuration
 * @param isRecovering whether it is in the recovery phase of a graceful restart, in which it does
 *     not touch the kernel's routes
 */
public record BirdDaemon(
    String version, String routerId, String started, String configured, boolean isRecovering) {
  private static final int VERSION = 1000;
  private static final int UPTIME = 1011;
  private static final int RECOVERY = 24;
  private static final int END = 13;

  static BirdDaemon of(BirdReply reply) {
    String version = "";
    String routerId = "";
    String started = "";
    String configured = "";
    boolean recovering = false;
    for (BirdReply.Line line : reply.lines()) {
      String text = line.text().strip();
      switch (line.code()) {
        case VERSION -> version = after(text, "BIRD ", version);
        case UPTIME -> {
          routerId = after(text, "Router ID is ", routerId);
          started = after(text, "Last reboot on ", started);
          configured = after(text, "Last reconfiguration on ", configured);
        }
        case RECOVERY -> recovering = true;
        default -> {
          // Lines of later versions are of no concern.
        }
      }
    }
    if (version.isEmpty() || reply.code() != END) {
      List<String> lines = reply.text().lines().limit(1).toList();
      throw new BirdException.Malformed("this is not BIRD's status: " + lines);
    }
    return new BirdDaemon(version, routerId, started, configured, recovering);
  }

  private static String after(String text, String label, String otherwise) {
    return text.startsWith(label) ? text.substring(label.length()) : otherwise;
  }
}
