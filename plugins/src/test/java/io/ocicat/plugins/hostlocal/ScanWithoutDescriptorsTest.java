package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.FewDescriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process without free descriptors must not mistake its leases for somebody else's: DEL would
 * succeed and leave them. Found by the soak test.
 */
class ScanWithoutDescriptorsTest {

  @Test
  void leasesThatCannotBeReadNowAreNotPassedOver(@TempDir Path directory) throws IOException {
    for (int i = 2; i < 6; i++) {
      Files.writeString(directory.resolve("10.1.0." + i), "c%d\r\neth0".formatted(i));
    }
    // With none left, and with one: the directory can be opened then, and no file in it.
    assertThat(FewDescriptors.run(Child.class, directory.toString()))
        .containsExactly("4 leases", "failed", "failed", "4 leases");
  }

  static final class Child {
    private Child() {}

    static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      // Loading a class takes a descriptor, too.
      String all = scan(directory);
      scan(directory.resolve("none"));
      String none;
      String one;
      try (FewDescriptors taken = FewDescriptors.takeAll()) {
        none = scan(directory);
        taken.giveOneBack();
        one = scan(directory);
      }
      System.out.println(String.join("\n", all, none, one, scan(directory)));
    }

    private static String scan(Path directory) {
      try {
        return LeaseScan.readOnly(directory).files().size() + " leases";
      } catch (IOException _) {
        return "failed";
      }
    }
  }
}
