package io.ocicat.cli.install;

import io.ocicat.agent.startup.InitialCluster;
import io.ocicat.agent.startup.StartupException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Does what calico/node does before the plugin can work, where that does not run: writes the files
 * with the node's name and the MTU, and, in an embedded datastore, creates the ready flag, the node
 * and the pools.
 *
 * @param files where Calico keeps its own, /var/lib/calico
 */
record CalicoSetUp(Map<String, String> environment, Path files) {
  /** What calico/node wrote counts, unless a variable overrides it. */
  String nodeName() {
    for (String variable : List.of("NODENAME", "KUBERNETES_NODE_NAME")) {
      String given = environment.getOrDefault(variable, "").strip();
      if (!given.isEmpty()) {
        return given;
      }
    }
    String written = read(files.resolve("nodename"));
    return written.isEmpty()
        ? environment
            .getOrDefault("HOSTNAME", read(Path.of("/proc/sys/kernel/hostname")))
            .toLowerCase(Locale.ROOT)
        : written;
  }

  /** The files to install; those that calico/node wrote are its own. */
  List<InstallItem> items() {
    List<InstallItem> items = new ArrayList<>();
    Path name = files.resolve("nodename");
    if (!read(name).equals(nodeName())) {
      items.add(text(name, nodeName()));
    }
    Path mtu = files.resolve("mtu");
    if (!Files.exists(mtu)) {
      uplinkMtu().ifPresent(found -> items.add(text(mtu, String.valueOf(found))));
    }
    return items;
  }

  private static InstallItem text(Path path, String content) {
    return InstallItem.text(content.getBytes(StandardCharsets.UTF_8), "rw-r--r--", path);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException _) {
      return "";
    }
  }

  /** The MTU of the link with the default route. */
  private static Optional<Integer> uplinkMtu() {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE)) {
      return net.list(Routes.list(RouteFilter.main(IpFamily.V4))).stream()
          .filter(route -> route.destination().equals(IpPrefix.parse("0.0.0.0/0")))
          .flatMap(route -> route.device().stream())
          .map(Device::index)
          .findFirst()
          .flatMap(index -> net.find(Links.byIndex(index)))
          .map(Link::mtu);
    }
  }

  /** Prepares an embedded datastore; what exists stays as it is. */
  void prepareDatastore() {
    try (Datastore datastore = Datastores.openOwn(DatastoreConfig.ofEnvironment(withEmbedded()))) {
      InitialCluster cluster = new InitialCluster(datastore, environment);
      cluster.createSettings(nodeName());
      createNode(datastore);
      if (datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().isEmpty()) {
        cluster.createPools();
      }
    } catch (DatastoreException | StartupException e) {
      throw new InstallException("the datastore cannot be prepared: " + e.getMessage());
    }
  }

  private Map<String, String> withEmbedded() {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put("DATASTORE_TYPE", "embedded");
    changed.remove("CALICO_DATASTORE_TYPE");
    return changed;
  }

  private void createNode(Datastore datastore) {
    try {
      datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", nodeName()), _ -> {}));
    } catch (ExistsException _) {
      // The user's own, which may differ.
    }
  }
}
