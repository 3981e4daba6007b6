package io.ocicat.netlink.linux;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import java.util.ArrayList;
import java.util.List;

/** Starts a class of this test suite in a separate JVM. */
final class OtherJvm {
  private OtherJvm() {}

  static Background start(Class<?> main, String... arguments) {
    return Command.of(commandLine(main, arguments)).start();
  }

  static List<String> commandLine(Class<?> main, String... arguments) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    argv.addAll(List.of(arguments));
    return argv;
  }
}
