package io.ocicat.plugins.calico;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.plugins.Plugins;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.Side;
import io.ocicat.plugins.calicocluster.IpamPrefetch;
import io.ocicat.plugins.calicoipam.LocalCalicoIpam;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A host with the plugin on it: one instance for all calls, as in a daemon.
 *
 * @param path CNI_PATH before our own plugins
 * @param calicoIpam the same for all calls as well
 * @param followed what the plugin remembers, as is {@code early}
 */
record CalicoNode(
    Host host,
    String name,
    Store store,
    Path files,
    String path,
    Plugin calicoIpam,
    WatchedNatPools followed,
    IpamPrefetch early,
    UnaryOperator<Datastore> between) {
  static CalicoNode of(Host host, Store store, Path files) {
    Plugin ipam = LocalCalicoIpam.of(store.datastores(), files);
    return new CalicoNode(
        host,
        PodApi.NODE,
        store,
        files,
        "",
        ipam,
        new WatchedNatPools(),
        new IpamPrefetch(),
        datastore -> datastore);
  }

  /** With something between both plugins and their datastore. */
  static CalicoNode of(Host host, Store store, Path files, UnaryOperator<Datastore> between) {
    Map<Datastore, Datastore> each = new ConcurrentHashMap<>();
    UnaryOperator<Datastore> once = it -> each.computeIfAbsent(it, between);
    Plugin ipam = LocalCalicoIpam.of(config -> once.apply(store.datastores().of(config)), files);
    return new CalicoNode(
        host, PodApi.NODE, store, files, "", ipam, new WatchedNatPools(), new IpamPrefetch(), once);
  }

  CalicoNode named(String newName) {
    return new CalicoNode(host, newName, store, files, path, calicoIpam, followed, early, between);
  }

  CalicoNode withPath(Path directory) {
    return new CalicoNode(
        host, name, store, files, directory + ":", calicoIpam, followed, early, between);
  }

  /** With something between the plugin and its datastore. */
  CalicoNode between(UnaryOperator<Datastore> newBetween) {
    return new CalicoNode(host, name, store, files, path, calicoIpam, followed, early, newBetween);
  }

  Path mtuFile() {
    return files.resolve("mtu");
  }

  /** Addresses by our host-local, one range for each of these subnets. */
  ObjectNode config(String... subnets) {
    ObjectNode config =
        Json.object().put("cniVersion", "1.1.0").put("name", "net1").put("type", "calico");
    config.put("nodename", name).put("nodename_file_optional", true);
    store.members().forEachEntry(config::set);
    ObjectNode ipam = config.putObject("ipam").put("type", "host-local");
    ipam.put("dataDir", files.resolve("leases").toString());
    for (String subnet : subnets) {
      ipam.withArray("ranges").addArray().addObject().put("subnet", subnet);
    }
    return config;
  }

  ObjectNode kubernetes(String... subnets) {
    ObjectNode config = config(subnets);
    config.putObject("policy").put("type", "k8s");
    return config;
  }

  /** Addresses of Calico's pools, by our calico-ipam. */
  ObjectNode pooled(Families families) {
    ObjectNode config = kubernetes();
    config.put("ipam_lock_file", files.resolve("ipam.lock").toString());
    config
        .putObject("ipam")
        .put("type", "calico-ipam")
        .put("assign_ipv4", String.valueOf(families.hasV4()))
        .put("assign_ipv6", String.valueOf(families.hasV6()));
    return config;
  }

  Calling call(ObjectNode config, Host container) {
    return new Calling(
        this,
        config,
        container.path().toString(),
        Map.of("CNI_CONTAINERID", container.name(), "CNI_IFNAME", "eth0"));
  }

  /** A pod that exists where pods are described. */
  Calling pod(ObjectNode config, Host container, String namespace, String pod) {
    store.know(namespace, pod);
    return call(config, container)
        .with("CNI_ARGS", "K8S_POD_NAME=%s;K8S_POD_NAMESPACE=%s".formatted(pod, namespace));
  }

  /** One attachment, called with each verb. */
  record Calling(CalicoNode node, ObjectNode config, String netns, Map<String, String> variables) {
    Calling with(String variable, String value) {
      Map<String, String> changed = new LinkedHashMap<>(variables);
      changed.put(variable, value);
      return new Calling(node, config, netns, changed);
    }

    Calling container(String id) {
      return with("CNI_CONTAINERID", id);
    }

    Calling withNetns(String other) {
      return new Calling(node, config, other, variables);
    }

    Calling on(CalicoNode other) {
      return new Calling(other, config, netns, variables);
    }

    Calling set(String member, JsonNode value) {
      ObjectNode changed = config.deepCopy();
      changed.set(member, value);
      return new Calling(node, changed, netns, variables);
    }

    Calling previous(JsonNode result) {
      return set("prevResult", result);
    }

    Ran add() {
      return run("ADD");
    }

    Ran del() {
      return run("DEL");
    }

    Ran check() {
      return run("CHECK");
    }

    Ran gc() {
      return run("GC");
    }

    Ran status() {
      return run("STATUS");
    }

    private Ran run(String verb) {
      Map<String, String> environment = new HashMap<>(Map.of("PATH", System.getenv("PATH")));
      environment.putAll(node.store.environment());
      environment.put("CNI_PATH", node.path + Side.OURS.path());
      environment.put("CNI_NETNS", netns);
      environment.putAll(variables);
      environment.put("CNI_COMMAND", verb);
      Namespaces namespaces = new Namespaces(node.host.path(), Map.of());
      InProcessExec exec =
          new InProcessExec(
              file ->
                  node.path.isEmpty() || !file.startsWith(node.path.replace(":", ""))
                      ? node.plugin(String.valueOf(file.getFileName()))
                      : Optional.empty(),
              invocation ->
                  node.executed(
                      invocation.executable(),
                      invocation.environment(),
                      invocation.stdin().bytes()),
              namespaces);
      PluginHost ours =
          new PluginHost(namespaces, exec, Deadline.in(Duration.ofSeconds(60)), _ -> {});
      Function<DatastoreConfig, Datastore> datastores =
          asked -> node.between.apply(node.store.datastores().of(asked));
      PluginReply reply =
          Dispatcher.dispatch(
              new CalicoPlugin(datastores, node.mtuFile(), node.followed, node.early),
              ours,
              environment,
              config.toString().getBytes(UTF_8));
      return new Ran(
          "calico " + verb, reply.exitCode(), new String(reply.stdout(), UTF_8), reply.stderr());
    }
  }

  private Optional<Plugin> plugin(String executable) {
    return executable.equals("calico-ipam")
        ? Optional.of(calicoIpam)
        : Plugins.named(executable, store.datastores());
  }

  private PluginReply executed(Path executable, Map<String, String> environment, byte[] stdin) {
    Command command = host.command(executable.toString()).stdin(new String(stdin, UTF_8));
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      command = command.env(variable.getKey(), variable.getValue());
    }
    Output output = command.attempt();
    return new PluginReply(output.exitCode(), output.stdout().getBytes(UTF_8), output.stderr());
  }

  /** What attachments have left on the host; nothing is best. */
  List<String> traces() {
    List<String> traces = new ArrayList<>();
    host.json("ip", "-j", "link").values().stream()
        .map(link -> link.path("ifname").asString())
        .filter(link -> link.startsWith("cali"))
        .forEach(traces::add);
    host.exec("nft", "list", "ruleset")
        .stdout()
        .lines()
        .filter(line -> line.contains("comment \"net1/"))
        .forEach(traces::add);
    for (String family : new String[] {"-4", "-6"}) {
      host.exec("ip", family, "route")
          .stdout()
          .lines()
          .filter(line -> line.contains("cali"))
          .forEach(traces::add);
    }
    store.endpoints().forEach(endpoint -> traces.add(endpoint.describe()));
    return traces;
  }
}
