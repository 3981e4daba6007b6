package io.ocicat.daemon;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Output;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A runtime's container, on a network of bridge with masquerading, host-local and portmap.
 *
 * @param host its network namespace
 * @param port the host port that is mapped to it
 */
record Pod(Installation ocicat, Host host, String id, int port) {
  static final String NETWORK = "faults";
  private static final JsonMapper JSON = JsonMapper.shared();

  String bridgeConf() {
    return conf(ocicat);
  }

  static String conf(Installation ocicat) {
    return """
        {"cniVersion":"1.1.0","name":"%s","type":"bridge","bridge":"br0","isGateway":true,"ipMasq":true,
         "ipam":{"type":"host-local","subnet":"10.88.0.0/24","dataDir":"%s",
                 "routes":[{"dst":"0.0.0.0/0"}]}}
        """
        .formatted(NETWORK, ocicat.leases());
  }

  String portmapConf(String prevResult) {
    return """
        {"cniVersion":"1.1.0","name":"%s","type":"portmap","capabilities":{"portMappings":true},
         "runtimeConfig":{"portMappings":[{"hostPort":%d,"containerPort":80,"protocol":"tcp"}]}%s}
        """
        .formatted(NETWORK, port, prevResult.isEmpty() ? "" : ",\"prevResult\":" + prevResult);
  }

  Command call(String plugin, String verb, String stdin) {
    return ocicat
        .call(plugin, verb, stdin)
        .env("CNI_CONTAINERID", id)
        .env("CNI_NETNS", host.path().toString())
        .env("CNI_IFNAME", "eth0");
  }

  Command add() {
    return call("bridge", "ADD", bridgeConf());
  }

  Command del() {
    return call("bridge", "DEL", bridgeConf());
  }

  Command mapPort(Output added) {
    return call("portmap", "ADD", portmapConf(added.stdout()));
  }

  Command unmapPort() {
    return call("portmap", "DEL", portmapConf(""));
  }

  /** What a runtime does to remove it, whatever the outcome of ADD. */
  void delAll() {
    unmapPort().run();
    del().run();
  }

  /** GC of the network, for which no container is left. */
  static Command gc(Installation ocicat, String plugin) {
    ObjectNode conf = (ObjectNode) JSON.readTree(conf(ocicat));
    conf.put("type", plugin);
    conf.putArray("cni.dev/valid-attachments");
    return ocicat.call(plugin, "GC", conf.toString());
  }

  static String address(Output added) {
    JsonNode ips = added.json().get("ips");
    return ips.get(0).get("address").asString().replaceAll("/.*", "");
  }
}
