package io.ocicat.plugins.hostlocal;

import io.ocicat.plugins.Ipam;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import java.util.List;

/**
 * A separate JVM that leases and releases as fast as it can until it is killed. It prints what it
 * did after each ADD and what it is about to do before each DEL.
 */
final class Churn {
  /** How many containers it has at a time. */
  private static final int ALIVE = 5;

  private Churn() {}

  public static void main(String[] args) {
    Ipam net = Ipam.of("host-local", args[0]).resident(new HostLocalPlugin());
    for (int i = 0; ; i++) {
      String id = args[1] + "-" + i;
      String address = net.container(id).add().ok().at("/ips/0/address").asString();
      System.out.print("+ " + id + " " + address + "\n");
      if (i >= ALIVE) {
        String old = args[1] + "-" + (i - ALIVE);
        System.out.print("- " + old + "\n");
        net.container(old).del().ok();
      }
    }
  }

  static Background start(String config, String name) {
    return Command.of(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Churn.class.getName(),
                config,
                name))
        .start();
  }
}
