package io.ocicat.netlink.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedNetNsTest {
  private final NamedNetNs names = NamedNetNs.standard();
  private final String name = "oci-named-" + ProcessHandle.current().pid();

  @AfterEach
  void remove() {
    names.remove(name);
  }

  @Test
  void ipNetnsSeesAndEntersWhatWeMake() {
    try (NetNs made = names.create(name)) {
      assertThat(Command.of("ip", "netns", "list").run().stdout()).contains(name);
      assertThat(names.list()).contains(name);
      try (NetNs opened = names.open(name)) {
        assertThat(opened.id()).isEqualTo(made.id());
      }
      String inode =
          Command.of("nsenter", "--net=/run/netns/" + name, "readlink", "/proc/self/ns/net")
              .run()
              .stdout();
      assertThat(inode.strip()).isEqualTo("net:[" + made.id().inode() + "]");
    }
  }

  @Test
  void ipNetnsRemovesWhatWeMake() {
    names.create(name).close();
    Command.of("ip", "netns", "delete", name).run();

    assertThat(names.list()).doesNotContain(name);
    assertThat(names.remove(name)).isFalse();
  }

  @Test
  void weRemoveWhatIpNetnsMakes() {
    // It returns to its own namespace, which only root of the machine may do with the machine's.
    Command.of("unshare", "--net", "ip", "netns", "add", name).run();

    assertThat(names.remove(name)).isTrue();
    assertThat(Command.of("ip", "netns", "list").run().stdout()).doesNotContain(name);
    assertThat(names.pathOf(name)).doesNotExist();
  }

  @Test
  void aNameIsTakenOnce() {
    names.create(name).close();

    assertThatThrownBy(() -> names.create(name))
        .isInstanceOf(NetlinkException.class)
        .satisfies(e -> assertThat(((NetlinkException) e).errno()).isEqualTo(Errno.EEXIST));
    assertThat(names.list()).as("the first one is still there").contains(name);
  }

  @Test
  void aFileLeftByACrashIsRemovedToo() throws Exception {
    Files.createDirectories(names.directory());
    Files.createFile(names.pathOf(name));

    assertThat(names.remove(name)).isTrue();
    assertThat(names.pathOf(name)).doesNotExist();
  }

  @Test
  void anotherDirectoryWorksAsWell(@TempDir Path elsewhere) {
    NamedNetNs own = new NamedNetNs(elsewhere.resolve("netns"));
    assertThat(own.list()).isEmpty();
    try (NetNs made = own.create("blue")) {
      assertThat(own.list()).containsExactly("blue");
      assertThat(made.id()).isNotNull();
    } finally {
      own.remove("blue");
      Command.of("umount", own.directory().toString()).run();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "../../etc/passwd", "nul\0"})
  void namesThatAreNoFileNamesAreRefused(String bad) {
    assertThatThrownBy(() -> names.pathOf(bad))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot name a network namespace");
  }
}
