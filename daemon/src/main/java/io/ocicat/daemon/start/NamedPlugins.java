package io.ocicat.daemon.start;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.netlink.linux.RegularFile;
import io.ocicat.plugins.resident.ServerClient;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The plugins that the network configurations of a machine name. A file that cannot be read names
 * none: whoever uses the network gets the error.
 */
record NamedPlugins(List<ObjectNode> plugins) {
  static NamedPlugins in(Path directory) {
    List<ObjectNode> plugins = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, "*.{conf,conflist,json}")) {
      for (Path file : files) {
        addAll(file, plugins);
      }
    } catch (IOException _) {
      // Without a directory there are no networks.
    }
    return new NamedPlugins(List.copyOf(plugins));
  }

  private static void addAll(Path file, List<ObjectNode> plugins) {
    try {
      JsonNode network = CniJson.parse(RegularFile.read(file, CniJson.MAX_BYTES));
      for (JsonNode plugin : network.has("plugins") ? network.path("plugins") : List.of(network)) {
        if (plugin instanceof ObjectNode document) {
          plugins.add(document.put("name", network.path("name").asString("")));
        }
      }
    } catch (IOException | CniException _) {
      // As above.
    }
  }

  Set<String> types() {
    return plugins.stream()
        .map(plugin -> plugin.path("type").asString(""))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Those of our plugins that need a server. */
  List<ObjectNode> withServers(Function<String, Optional<Plugin>> ours) {
    return plugins.stream()
        .filter(
            config ->
                ours.apply(config.path("type").asString("")).orElse(null)
                        instanceof ServerClient client
                    && client.hasServer(config))
        .toList();
  }
}
