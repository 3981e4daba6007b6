package io.ocicat.netlink.ns;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.FewDescriptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A process without free descriptors at its first visit to a namespace. */
class NoDescriptorsTest {

  @Test
  void theFirstVisitFailsAndTheNextSucceeds() {
    assertThat(FewDescriptors.run(Child.class)).containsExactly("EMFILE", "visited");
  }

  static final class Child {
    private Child() {}

    static void main(String[] arguments) throws Exception {
      loadAll();
      try (NetNs here = NetNs.open(Path.of("/proc/self/ns/net"))) {
        String first;
        try (FewDescriptors _ = FewDescriptors.takeAll()) {
          first = here.visit(() -> "visited");
        } catch (NetlinkException e) {
          first = String.valueOf(e.getMessage()).contains("EMFILE") ? "EMFILE" : e.getMessage();
        }
        System.out.println(first);
        System.out.println(here.visit(() -> "visited"));
      }
    }

    /** Loading a class takes a descriptor, too; a daemon has its classes in files that are open. */
    private static void loadAll() throws Exception {
      // Not initialised, which is what this is about.
      Class<?> thread =
          Class.forName(
              "io.ocicat.netlink.ns.NamespaceThread", false, NetNs.class.getClassLoader());
      Path classes = Path.of(thread.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(classes)) {
        try (Stream<Path> files = Files.walk(classes)) {
          for (Path file : files.filter(one -> one.toString().endsWith(".class")).toList()) {
            String name = classes.relativize(file).toString().replace('/', '.');
            Class.forName(
                name.substring(0, name.length() - ".class".length()),
                false,
                NetNs.class.getClassLoader());
          }
        }
      }
    }
  }
}
