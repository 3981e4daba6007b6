package io.ocicat.daemon.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class NamedPluginsTest {
  @TempDir Path directory;

  @Test
  void everyPluginOfEveryNetworkIsNamed() throws IOException {
    write(
        "10-blue.conflist",
        "{'name': 'blue', 'plugins': [{'type': 'bridge'}, {'type': 'portmap'}]}");
    write("20-red.conf", "{'name': 'red', 'type': 'ptp'}");
    write("notes.txt", "{'name': 'none', 'type': 'macvlan'}");
    write("30-torn.conflist", "{'name': 'torn', 'plugins': [{'type': 'vl");

    assertThat(NamedPlugins.in(directory).types())
        .containsExactlyInAnyOrder("bridge", "portmap", "ptp");
  }

  @Test
  void onlyDatastoresOfServersAreConnectedTo() throws IOException {
    write("a.conf", "{'name': 'a', 'type': 'calico'}");
    write("b.conf", "{'name': 'b', 'type': 'calico', 'datastore_type': 'embedded'}");
    write("c.conf", "{'name': 'c', 'type': 'calico', 'etcd_endpoints': 'http://127.0.0.1:2379'}");
    write("d.conf", "{'name': 'd', 'type': 'calico', 'datastore_type': 'kubernetes'}");

    write("e.conf", "{'name': 'e', 'type': 'bridge', 'etcd_endpoints': 'http://127.0.0.1:2379'}");

    assertThat(NamedPlugins.in(directory).withServers(PluginExecutables.none()::named))
        .extracting(plugin -> plugin.path("name").asString())
        .containsExactlyInAnyOrder("c", "d");
  }

  /** Review R14: the daemon's start would wait for the pipe's writer. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeNamesNothing() throws IOException {
    Command.of("mkfifo", directory.resolve("10-pipe.conflist").toString()).run();
    write("20-red.conf", "{'name': 'red', 'type': 'ptp'}");
    assertThat(NamedPlugins.in(directory).types()).containsExactly("ptp");
  }

  @Test
  void noDirectoryNamesNothing() {
    assertThat(NamedPlugins.in(directory.resolve("none")).plugins()).isEmpty();
  }

  private void write(String name, String json) throws IOException {
    Files.writeString(directory.resolve(name), json.replace('\'', '"'));
  }
}
