package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * GC as libcni's tests have it; and what they leave out: corrupt entries, several networks in one
 * cache, failures on the way.
 */
class GcTest {
  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  @Test
  void doesNothingWhenTheListDisablesIt() {
    lab.install("a");
    Network network =
        lab.cni()
            .network(
                ConfigList.parse(
                    "{\"name\":\"net\",\"cniVersion\":\"1.1.0\",\"disableGC\":true,\"plugins\":[{\"type\":\"a\"}]}"));
    network.add(container());
    network.gc(List.of());
    network.gcAll();
    assertThat(lab.recorder.order()).containsExactly("ADD a");
  }

  @Test
  void validAttachmentsAreLeftAloneAndStaleOnesDeletedBeforePluginsAreAsked() {
    Network network = lab.network("1.1.0", "a");
    network.add(container());
    network.gc(List.of(new Attachment("c1", "eth0")));
    assertThat(lab.recorder.request(1))
        .isEqualTo(
            CniJson.parse(
                """
                {"type":"a","name":"net","cniVersion":"1.1.0",
                 "cni.dev/valid-attachments":[{"containerID":"c1","ifname":"eth0"}],
                 "cni.dev/attachments":[{"containerID":"c1","ifname":"eth0"}]}
                """));
    network.gc(List.of());
    assertThat(lab.recorder.order()).containsExactly("ADD a", "GC a", "DEL a", "GC a");
    assertThat(lab.recorder.request(3).get("cni.dev/valid-attachments"))
        .isEqualTo(CniJson.parse("[]"));
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void pluginsAreAskedInOrderWithoutAnyContainer() {
    Network network = lab.network("1.1.0", "a", "b");
    network.gc(List.of());
    assertThat(lab.recorder.order()).containsExactly("GC a", "GC b");
    assertThat(lab.recorder.calls().getFirst().environment())
        .containsEntry("CNI_COMMAND", "GC")
        .containsEntry("CNI_CONTAINERID", "")
        .containsEntry("CNI_NETNS", "")
        .containsEntry("CNI_IFNAME", "")
        .containsEntry("CNI_ARGS", "")
        .containsEntry("CNI_PATH", lab.plugins.toString());
  }

  @Test
  void withoutAnyKnowledgeEverythingCachedIsDeletedAndPluginsAreToldNothing() {
    Network network = lab.network("1.1.0", "a");
    network.add(container());
    network.gcAll();
    assertThat(lab.recorder.order()).containsExactly("ADD a", "DEL a", "GC a");
    assertThat(lab.recorder.request(2))
        .isEqualTo(CniJson.parse("{\"type\":\"a\",\"name\":\"net\",\"cniVersion\":\"1.1.0\"}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.1", "0.4.0", "1.0.0"})
  void olderVersionsOnlyDeleteStaleAttachments(String version) {
    Network network = lab.network(version, "a");
    network.add(container());
    network.gc(List.of());
    assertThat(lab.recorder.order()).containsExactly("ADD a", "DEL a");
  }

  @Test
  void staleAttachmentsAreDeletedWithWhatTheyWereAddedWith() {
    lab.install("a", "b");
    lab.cni().network(list("1.1.0", "a")).add(container().ifName("net1").arg("K", "V"));
    lab.recorder.clear();
    lab.cni().network(list("1.1.0", "b")).gc(List.of(new Attachment("c1", "eth0")));
    assertThat(lab.recorder.order()).containsExactly("DEL a", "GC b");
    assertThat(lab.recorder.calls().getFirst().environment())
        .containsEntry("CNI_CONTAINERID", "c1")
        .containsEntry("CNI_IFNAME", "net1")
        .containsEntry("CNI_NETNS", Lab.NETNS)
        .containsEntry("CNI_ARGS", "K=V");
    assertThat(lab.recorder.request(0).has("prevResult")).isTrue();
  }

  @Test
  void otherNetworksInTheSameCacheAreLeftAlone() {
    lab.install("a");
    Cni cni = lab.cni();
    for (String name : List.of("net", "net-c1", "other")) {
      Network network =
          cni.network(
              ConfigList.parse(
                  "{\"name\":\"%s\",\"cniVersion\":\"1.1.0\",\"plugins\":[{\"type\":\"a\"}]}"
                      .formatted(name)));
      network.add(container());
      network.add(Container.of("c1-c1", Lab.NETNS));
    }
    lab.recorder.clear();
    cni.network(list("1.1.0", "a")).gc(List.of(new Attachment("c1-c1", "eth0")));
    assertThat(lab.recorder.order()).containsExactly("DEL a", "GC a");
    assertThat(lab.recorder.calls().getFirst().variable("CNI_CONTAINERID")).isEqualTo("c1");
    assertThat(cni.attachments())
        .extracting(a -> a.network() + " " + a.container().id())
        .containsExactlyInAnyOrder(
            "net c1-c1", "net-c1 c1", "net-c1 c1-c1", "other c1", "other c1-c1");
  }

  @Test
  void corruptEntriesAreSkippedWithAWarning() {
    Network network = lab.network("1.1.0", "a");
    network.add(container());
    Lab.write(lab.cacheFile("net-c0-eth0"), "{");
    Lab.write(lab.cacheFile("net-c2-eth0"), "");
    Lab.write(lab.cacheFile("net-c3-eth0"), "{\"cniVersion\":\"1.0.0\"}");
    Lab.write(
        lab.cacheFile("net-c4-eth0"),
        "{\"kind\":\"cniCacheV1\",\"containerId\":\"../c4\",\"ifName\":\"eth0\",\"networkName\":\"net\"}");
    lab.recorder.clear();
    network.gc(List.of());
    assertThat(lab.recorder.order()).containsExactly("DEL a", "GC a");
    assertThat(lab.warnings)
        .satisfiesExactly(
            w -> assertThat(w).contains("net-c0-eth0 is unusable"),
            w -> assertThat(w).contains("net-c2-eth0 is empty"),
            w -> assertThat(w).contains("net-c4-eth0 is unusable: invalid characters"));
  }

  @Test
  void allFailuresAreReportedAndNothingStopsAtOne() {
    Network network = lab.network("1.1.0", "a", "b");
    network.add(container());
    network.add(Container.of("c2", Lab.NETNS));
    lab.recorder
        .clear()
        .on(Verb.DEL, "a", Recorder.error(7, "stuck"))
        .on(Verb.GC, "a", Recorder.error(11, "later"));
    fails(() -> network.gc(List.of()))
        .withMessage(
            """
            failed to delete stale attachment c1 eth0: plugin type="a" failed (delete): stuck
            failed to delete stale attachment c2 eth0: plugin type="a" failed (delete): stuck
            failed to GC plugin a: later""")
        .matches(e -> e.getSuppressed().length == 3)
        .matches(e -> e.is(ErrorCode.INVALID_NETWORK_CONFIG));
    assertThat(lab.recorder.order())
        .containsExactly("DEL b", "DEL a", "DEL b", "DEL a", "GC a", "GC b");
    assertThat(lab.cacheFiles()).hasSize(2);
  }

  @Test
  void aSinglePluginThatFailsKeepsItsCode() {
    Network network = lab.network("1.1.0", "a");
    lab.recorder.on(Verb.GC, "a", Recorder.error(11, "later"));
    fails(() -> network.gc(List.of()))
        .withMessage("failed to GC plugin a: later")
        .matches(e -> e.is(ErrorCode.TRY_AGAIN_LATER));
  }

  @Test
  void aMissingExecutableIsReportedAndTheOthersAreAsked() throws IOException {
    Network network = lab.network("1.1.0", "a", "b");
    Files.delete(lab.plugins.resolve("a"));
    fails(() -> network.gc(List.of()))
        .withMessageStartingWith("failed to GC plugin a: failed to find plugin \"a\" in path [");
    assertThat(lab.recorder.order()).containsExactly("GC b");
  }

  @Test
  void aCacheThatCannotBeListedIsReportedAndPluginsAreAsked() {
    Lab.write(lab.cache.resolve("results"), "not a directory");
    Network network = lab.network("1.1.0", "a");
    fails(() -> network.gc(List.of()))
        .withMessageStartingWith("cannot list the cached attachments in ");
    assertThat(lab.recorder.order()).containsExactly("GC a");
  }
}
