package io.ocicat.sandbox.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {
  private static final PodPort HTTP = new PodPort(Protocol.TCP, 80, 8080, "");
  private static final PodPort DNS = new PodPort(Protocol.UDP, 53, 1053, "127.0.0.1");
  private static final Checkpoint WEB = new Checkpoint("web", "shop", List.of(HTTP), false);

  @TempDir private Path folder;

  @Test
  void checksumsAreDockershims() {
    assertThat(new Checkpoint("a", "b", List.of(), false).checksum()).isEqualTo(815459779L);
    assertThat(new Checkpoint("a", "b", List.of(), true).checksum()).isEqualTo(996107268L);
    assertThat(WEB.checksum()).isEqualTo(928727533L);
    assertThat(new Checkpoint("c", "d", List.of(DNS, HTTP), false).checksum())
        .isEqualTo(2492879060L);
  }

  @Test
  void bytesAreDockershims() {
    assertThat(WEB.bytes())
        .asString(UTF_8)
        .isEqualTo(
            "{\"version\":\"v1\",\"name\":\"web\",\"namespace\":\"shop\",\"data\":{\"port_mappings\":"
                + "[{\"protocol\":\"tcp\",\"container_port\":80,\"host_port\":8080}]},\"checksum\":928727533}");
    assertThat(new Checkpoint("a", "b", List.of(), true).bytes())
        .asString(UTF_8)
        .isEqualTo(
            "{\"version\":\"v1\",\"name\":\"a\",\"namespace\":\"b\",\"data\":{\"host_network\":true},\"checksum\":996107268}");
  }

  @Test
  void whatIsKeptIsFoundAgain() {
    Checkpoints checkpoints = new Checkpoints(folder.resolve("sandbox"));
    assertThat(checkpoints.list()).isEmpty();
    assertThat(checkpoints.get("id1")).isEmpty();
    Checkpoint both = new Checkpoint("c", "d", List.of(DNS, HTTP), true);
    checkpoints.put("id1", WEB);
    checkpoints.put("id2", both);
    checkpoints.put("id2", both);
    assertThat(checkpoints.get("id1")).contains(WEB);
    assertThat(checkpoints.get("id2")).contains(both);
    assertThat(checkpoints.list()).containsExactly("id1", "id2");
    checkpoints.remove("id1");
    checkpoints.remove("id1");
    assertThat(checkpoints.list()).containsExactly("id2");
  }

  @Test
  void damageIsNoticedAndDiscarded() throws IOException {
    Checkpoints checkpoints = new Checkpoints(folder);
    for (String damaged :
        List.of(
            "",
            "{",
            "[]",
            "{}",
            new String(WEB.bytes(), UTF_8) + "garbage",
            new String(WEB.bytes(), UTF_8).replace("8080", "8081"),
            new String(WEB.bytes(), UTF_8).replace("928727533", "-1"))) {
      Files.writeString(folder.resolve("id"), damaged);
      assertThatThrownBy(() -> checkpoints.get("id"))
          .as(damaged)
          .isInstanceOfSatisfying(
              SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
      assertThat(checkpoints.getOrDiscard("id")).isEmpty();
      assertThat(folder.resolve("id")).doesNotExist();
    }
  }

  @Test
  void halfWrittenFilesAndBadKeysDoNotCount() throws IOException {
    Checkpoints checkpoints = new Checkpoints(folder);
    Files.writeString(folder.resolve(".id.1234"), "{");
    assertThat(checkpoints.list()).isEmpty();
    for (String key : List.of("", "../x", "-a", "a-", "a/b", "x".repeat(251))) {
      assertThatThrownBy(() -> checkpoints.get(key)).as(key).isInstanceOf(SandboxException.class);
    }
  }
}
