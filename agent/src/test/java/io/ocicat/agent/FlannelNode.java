package io.ocicat.agent;

import io.ocicat.agent.flannel.FlannelParts;
import io.ocicat.agent.flannel.FlannelService;
import io.ocicat.agent.flannel.FlannelSettings;
import io.ocicat.datastore.Datastore;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A node in a test's own namespace, with an agent that does flanneld's job. */
final class FlannelNode implements AutoCloseable {
  private final Host host;
  private final NetNs namespace;
  private final TestAgent agent;
  private final FlannelService flannel;
  private final Path subnetFile;

  /**
   * @param folder of this node alone
   */
  FlannelNode(
      Host host, Datastore datastore, String name, Path folder, Map<String, String> variables) {
    this.host = host;
    this.namespace = NetNs.open(host.path());
    this.subnetFile = folder.resolve("run/subnet.env");
    Map<String, String> environment = new HashMap<>(variables);
    environment.putIfAbsent("FLANNELD_IFACE", "eth0");
    environment.put("FLANNELD_SUBNET_FILE", subnetFile.toString());
    environment.put("FLANNELD_NET_CONFIG_PATH", folder.resolve("../net-conf.json").toString());
    this.agent = new TestAgent(host, datastore, name, folder, Map.of());
    this.flannel =
        FlannelService.start(
            new FlannelParts(
                FlannelSettings.of(environment),
                datastore,
                namespace,
                name,
                agent::follow,
                agent.log()::add));
  }

  FlannelNode awaitLease() {
    Eventually.await("a lease: " + flannel.problems(), flannel::isReady);
    agent.awaitSync();
    return this;
  }

  Host host() {
    return host;
  }

  TestAgent agent() {
    return agent;
  }

  List<String> log() {
    return agent.log();
  }

  FlannelService flannel() {
    return flannel;
  }

  Path subnetFile() {
    return subnetFile;
  }

  /** This node's subnet, as the CNI plugin reads it. */
  IpPrefix subnet(boolean v6) {
    String key = v6 ? "FLANNEL_IPV6_SUBNET=" : "FLANNEL_SUBNET=";
    try {
      return Files.readString(subnetFile)
          .lines()
          .filter(line -> line.startsWith(key))
          .map(line -> IpPrefix.parse(line.substring(key.length())).network())
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stands in for a pod: the fifth address of the subnet, on a link of its own. */
  String addPod(boolean v6) {
    String address = subnet(v6).first().plus(5).toString();
    if (!host.tryExec("ip", "link", "show", "pod0").succeeded()) {
      host.exec("ip", "link", "add", "pod0", "type", "bridge");
      host.exec("ip", "link", "set", "pod0", "up");
    }
    if (v6) {
      host.exec("ip", "address", "replace", address + "/128", "dev", "pod0", "nodad");
    } else {
      host.exec("ip", "address", "replace", address + "/32", "dev", "pod0");
    }
    return address;
  }

  @Override
  public void close() {
    flannel.close();
    agent.close();
    namespace.close();
  }
}
