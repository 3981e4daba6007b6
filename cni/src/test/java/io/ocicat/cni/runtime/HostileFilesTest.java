package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PortMapping;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that anybody may have damaged are reported or ignored, without other effects. */
class HostileFilesTest {
  private static final int ROUNDS = 1500;
  private static final List<String> PIECES =
      List.of("{", "}", "[", "]", "\"", ":", ",", "null", "-1", "1e999", "\\u0000", "../", "true");

  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  private static byte[] damaged(byte[] original, Random random) {
    byte[] bytes = original.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(3)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
        default -> {
          String text = new String(bytes, StandardCharsets.UTF_8);
          int cut = Math.min(at, text.length());
          int end = Math.min(text.length(), cut + random.nextInt(6));
          String piece = PIECES.get(random.nextInt(PIECES.size()));
          bytes =
              (text.substring(0, cut) + piece + text.substring(end))
                  .getBytes(StandardCharsets.UTF_8);
        }
      }
    }
    return bytes;
  }

  @Test
  void aDamagedCacheFileNeverPreventsDel() throws Exception {
    Network network = lab.network("1.0.0", "a");
    Path file = lab.cacheFile("net-c1-eth0");
    network.add(container().arg("K", "V").portMappings(new PortMapping(1, 2, Protocol.TCP, null)));
    byte[] whole = Files.readAllBytes(file);
    Seeded.forAll(
        ROUNDS,
        random -> {
          Files.write(file, damaged(whole, random));
          lab.recorder.clear();
          // The cached plugins may be missing: then DEL reports it and can be repeated.
          try {
            network.del(container());
            assertThat(lab.recorder.order()).containsExactly("DEL a");
          } catch (CniException e) {
            assertThat(e).hasMessageContaining("failed to find plugin");
          }
          network.attachments();
          assertThat(lab.cni().attachments("c1")).hasSizeLessThanOrEqualTo(1);
        });
  }

  @Test
  void aDamagedConfigurationNeverHidesTheOthers() {
    byte[] whole =
        """
        {"name":"net","cniVersion":"1.0.0","cniVersions":["0.4.0","1.1.0"],"disableCheck":"true",
         "plugins":[{"type":"a","capabilities":{"mac":true},"ipam":{"type":"b"},"dns":{"search":["x"]}},
                    {"type":"b"}]}
        """
            .getBytes(StandardCharsets.UTF_8);
    Lab.write(lab.conf.resolve("50-good.conf"), "{\"name\":\"good\",\"type\":\"a\"}");
    ConfDirectory conf = new ConfDirectory(lab.conf);
    Seeded.forAll(
        ROUNDS,
        random -> {
          Files.write(lab.conf.resolve("10-net.conflist"), damaged(whole, random));
          ConfListing listing = conf.list();
          assertThat(listing.networks()).extracting(NetworkFile::name).contains("good");
          assertThat(listing.networks().size() == 2 || !listing.problems().isEmpty()).isTrue();
          for (NetworkFile network : listing.networks()) {
            assertThat(conf.load(network.name()).file()).isEqualTo(network.file());
          }
          if (!listing.problems().isEmpty()) {
            assertThatThrownBy(() -> conf.load("net"))
                .isInstanceOf(CniException.class)
                .hasMessageContaining("10-net.conflist");
          }
        });
  }
}
