package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that is out of descriptors must not take leases for somebody else's: DEL would succeed
 * and leave them. Found by the soak.
 */
class ScanWithoutDescriptorsTest {

  @Test
  void leasesThatCannotBeReadNowAreNotPassedOver(@TempDir Path directory) throws IOException {
    for (int i = 2; i < 6; i++) {
      Files.writeString(directory.resolve("10.1.0." + i), "c%d\r\neth0".formatted(i));
    }
    List<String> argv =
        List.of(
            "prlimit",
            "--nofile=256:256",
            System.getProperty("java.home") + "/bin/java",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            directory.toString());

    // With none left, and with one: the directory can be opened then, and no file in it.
    assertThat(Command.of(argv).limit(Duration.ofMinutes(1)).run().stdout().lines())
        .containsExactly("4 leases", "failed", "failed", "4 leases");
  }

  static final class Child {
    private Child() {}

    static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      // Loading a class takes a descriptor, too.
      String all = scan(directory);
      scan(directory.resolve("none"));
      List<FileInputStream> open = new ArrayList<>();
      takeAll(open);
      String none = scan(directory);
      open.removeLast().close();
      String one = scan(directory);
      for (FileInputStream each : open) {
        each.close();
      }
      System.out.println(String.join("\n", all, none, one, scan(directory)));
    }

    private static String scan(Path directory) {
      try {
        return LeaseScan.look(directory).files().size() + " leases";
      } catch (IOException _) {
        return "failed";
      }
    }

    private static void takeAll(List<FileInputStream> open) {
      try {
        while (true) {
          open.add(new FileInputStream("/dev/null"));
        }
      } catch (IOException _) {
        return;
      }
    }
  }
}
