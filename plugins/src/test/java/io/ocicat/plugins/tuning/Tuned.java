package io.ocicat.plugins.tuning;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A pod with an interface {@code eth0} that the previous plugin created. */
record Tuned(Host host, Host pod, Path dataDir) {
  static final String MAC = "c2:11:22:33:44:55";

  static Tuned wired(Host host, Host pod, Path directory) {
    host.exec(("ip link add veth0 up type veth peer name eth0 netns " + pod.name()).split(" "));
    return new Tuned(host, pod, directory.resolve("tuning"));
  }

  /** The attachment with these fields in its configuration, quoted with apostrophes. */
  Attaching with(String version, String fields) {
    String previous =
        version.compareTo("0.3.0") < 0
            ? "'ip4':{'ip':'10.0.0.2/24'}"
            : "'interfaces':[{'name':'veth0'},{'name':'eth0','mac':'%s','sandbox':'%s'}],'ips':[{'version':'4','address':'10.0.0.2/24','interface':1}]"
                .formatted(link().path("address").asString(), pod.path());
    return bare(
        version, fields + ",'prevResult':{'cniVersion':'%s',%s}".formatted(version, previous));
  }

  /** The same without a previous result. */
  Attaching bare(String version, String fields) {
    String config =
        "{'cniVersion':'%s','name':'net','type':'tuning','dataDir':'%s',%s}"
            .formatted(version, dataDir, fields)
            .replace('\'', '"')
            .replace(",,", ",")
            .replace(",}", "}");
    return Attaching.of("tuning", host, pod, config);
  }

  JsonNode link() {
    return pod.json("ip", "-j", "-d", "link", "show", "eth0").path(0);
  }

  /** The interface settings that the plugin can change. */
  String settings() {
    JsonNode link = link();
    return "%s %s %s %s %s"
        .formatted(
            link.path("address").asString(),
            link.path("mtu").asInt(),
            link.path("txqlen").asInt(),
            link.path("flags").toString().contains("\"PROMISC\""),
            link.path("flags").toString().contains("\"ALLMULTI\""));
  }

  String sysctl(String key) {
    return pod.exec("sysctl", "-n", key).stdout().strip();
  }

  Path backup() {
    return dataDir.resolve(pod.name() + "_eth0.json");
  }

  /** Everything in the backup directory. */
  List<String> files() throws IOException {
    if (Files.notExists(dataDir)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(dataDir)) {
      return files.map(path -> String.valueOf(path.getFileName())).sorted().toList();
    }
  }
}
