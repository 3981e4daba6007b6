package io.ocicat.agent.bgp;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.view.SecretEntry;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * The resources of a cluster, and the configuration that one of its nodes makes of them. Starts as
 * the cluster of confd's tests: kube-master and two more nodes, and one pool.
 */
final class BgpWorld {
  final Map<ResourceKey, Resource> resources = new LinkedHashMap<>();
  final Map<String, String> environment = new HashMap<>();
  final Map<SecretEntry, BgpSecrets.Answer> secrets = new HashMap<>();
  final String local;
  ServiceRoutes services = ServiceRoutes.NONE;

  private BgpWorld(String local) {
    this.local = local;
    environment.put("CALICO_NETWORKING_BACKEND", "bird");
  }

  /** Three nodes, seen by kube-master. */
  static BgpWorld ofThree() {
    BgpWorld world = new BgpWorld("kube-master");
    world.node("kube-master", "{'bgp': {'ipv4Address': '10.192.0.2/16'}}");
    world.node("kube-node-1", "{'bgp': {'ipv4Address': '10.192.0.3/16'}}");
    world.node("kube-node-2", "{'bgp': {'ipv4Address': '10.192.0.4/16'}}");
    world.pool("ippool-1", "{'cidr': '192.168.0.0/16'}");
    world.block("192.168.221.64/26", "kube-master");
    return world;
  }

  /** The same with IPv6 addresses, a pool and a block. */
  static BgpWorld ofThreeWithIpv6() {
    BgpWorld world = ofThree();
    int number = 102;
    for (String name : List.of("kube-master", "kube-node-1", "kube-node-2")) {
      int host = number++;
      world.edit(
          Kind.NODE,
          name,
          spec ->
              ((ObjectNode) spec.path("bgp")).put("ipv6Address", "2001::%d/64".formatted(host)));
    }
    world.pool("ippool-2", "{'cidr': '2002::/64'}");
    world.block("2002::1:0/122", "kube-master");
    return world;
  }

  static BgpWorld seenBy(String local, BgpWorld other) {
    BgpWorld world = new BgpWorld(local);
    world.resources.putAll(other.resources);
    world.environment.putAll(other.environment);
    world.secrets.putAll(other.secrets);
    return world;
  }

  private static ObjectNode json(String text) {
    return StoredJson.parseObject(text.replace('\'', '"'));
  }

  /** Adds or replaces a valid resource. */
  BgpWorld put(Kind kind, String name, String spec) {
    return putUnchecked(
        ResourceAdmission.standard()
            .forCreate(
                Resource.of(
                    new ResourceKey.Named(kind, "", name), members -> members.setAll(json(spec)))));
  }

  /** Adds or replaces a resource that somebody wrote without any check. */
  BgpWorld putInvalid(Kind kind, String name, String spec) {
    return putUnchecked(
        Resource.of(new ResourceKey.Named(kind, "", name), members -> members.setAll(json(spec))));
  }

  private BgpWorld putUnchecked(Resource resource) {
    resources.put(resource.key(), resource);
    return this;
  }

  Resource get(ResourceKey key) {
    return Objects.requireNonNull(resources.get(key));
  }

  BgpWorld delete(Kind kind, String name) {
    resources.remove(ResourceKey.of(kind, name));
    return this;
  }

  BgpWorld edit(Kind kind, String name, Consumer<ObjectNode> change) {
    Resource before = get(ResourceKey.of(kind, name));
    return putUnchecked(before.edit(document -> change.accept((ObjectNode) document.path("spec"))));
  }

  BgpWorld node(String name, String spec) {
    return put(Kind.NODE, name, spec);
  }

  BgpWorld label(String node, String label, String value) {
    Resource before = get(ResourceKey.of(Kind.NODE, node));
    return putUnchecked(
        before.edit(
            document ->
                ((ObjectNode) document.path("metadata")).withObject("labels").put(label, value)));
  }

  BgpWorld reflector(String node, String clusterId) {
    return edit(
        Kind.NODE,
        node,
        spec -> ((ObjectNode) spec.path("bgp")).put("routeReflectorClusterID", clusterId));
  }

  BgpWorld pool(String name, String spec) {
    return put(Kind.IP_POOL, name, spec);
  }

  BgpWorld config(String spec) {
    return put(Kind.BGP_CONFIGURATION, "default", spec);
  }

  BgpWorld peer(String name, String spec) {
    return put(Kind.BGP_PEER, name, spec);
  }

  BgpWorld filter(String name, String spec) {
    return put(Kind.BGP_FILTER, name, spec);
  }

  BgpWorld block(String cidr, String node) {
    ResourceKey key = new ResourceKey.Block(IpPrefix.parse(cidr));
    return putUnchecked(
        Resource.of(
            key,
            json(
                "{'cidr':'%s','affinity':'host:%s','allocations':[],'unallocated':[],'attributes':[]}"
                    .formatted(cidr, node))));
  }

  BgpWorld endpoint(String pod, String labels, String... networks) {
    ResourceKey.Named key =
        new ResourceKey.Named(
            Kind.WORKLOAD_ENDPOINT, "default", local.replace("-", "--") + "-k8s-" + pod + "-eth0");
    Resource resource =
        Resource.of(
            key,
            spec -> {
              spec.put("orchestrator", "k8s")
                  .put("node", local)
                  .put("pod", pod)
                  .put("endpoint", "eth0")
                  .put("interfaceName", "cali" + pod);
              for (String network : networks) {
                spec.withArray("ipNetworks").add(network);
              }
            });
    return putUnchecked(
        resource.edit(
            document -> ((ObjectNode) document.path("metadata")).set("labels", json(labels))));
  }

  BgpWorld secret(String name, String key, String text) {
    secrets.put(new SecretEntry(name, key), new BgpSecrets.Answer.Found(text));
    return this;
  }

  BgpWorld environment(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  WatchedCluster view() {
    return view(resources.values());
  }

  WatchedCluster view(Collection<Resource> listed) {
    WatchedCluster view = new WatchedCluster(local);
    for (Kind kind : WatchedCluster.KINDS) {
      view.apply(
          new ViewEvent.Listed(
              kind,
              listed.stream().filter(resource -> resource.kind() == kind).toList(),
              List.of()));
    }
    return view;
  }

  DesiredBgp bgp() {
    return bgp(view());
  }

  DesiredBgp bgp(WatchedCluster view) {
    AgentConfig config =
        EffectiveConfig.of(
                new ConfigSources(
                    environment,
                    "",
                    List.copyOf(view.settings().values()),
                    local,
                    view.labels(local)),
                null)
            .config();
    return DesiredBgp.of(
        new BgpInputs(
            view,
            config,
            BgpSettings.of(environment),
            entry -> secrets.getOrDefault(entry, new BgpSecrets.Answer.Missing("does not exist")),
            services));
  }

  /** The lines of a block that begins with these words, without indentation. */
  static List<String> block(DesiredBgp bgp, String head) {
    List<String> lines = bgp.text().lines().toList();
    for (int start = 0; start < lines.size(); start++) {
      if (lines.get(start).startsWith(head + " ") || lines.get(start).startsWith(head + "(")) {
        int end = start;
        while (!lines.get(end).equals("}")) {
          end++;
        }
        return lines.subList(start + 1, end).stream().map(String::strip).toList();
      }
    }
    throw new AssertionError("no %s in\n%s".formatted(head, bgp.text()));
  }

  static List<String> session(DesiredBgp bgp, String name) {
    return block(bgp, "protocol bgp " + name);
  }

  static List<String> names(DesiredBgp bgp) {
    return bgp.sessions().stream().map(ExpectedSession::protocol).toList();
  }

  /** Files that BIRD must accept, checked together: a process for each would take long. */
  static final class BirdCheck {
    private final Map<String, String> texts = new TreeMap<>();

    DesiredBgp add(DesiredBgp bgp) {
      String test =
          StackWalker.getInstance()
              .walk(
                  frames ->
                      frames
                          .map(StackWalker.StackFrame::getMethodName)
                          .filter(method -> !method.equals("add") && !method.equals("render"))
                          .findFirst()
                          .orElse(""));
      texts.put("%s-%03d".formatted(test, texts.size()), bgp.text());
      return bgp;
    }

    void run(Path folder) {
      List<String> refused = new ArrayList<>();
      try {
        for (Map.Entry<String, String> text : texts.entrySet()) {
          Files.writeString(folder.resolve(text.getKey() + ".conf"), text.getValue());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      String output =
          Command.of("sh", "-c", "for file in *.conf; do bird -p -c $file 2>&1 || echo $file; done")
              .in(folder)
              .run()
              .stdout();
      output.lines().forEach(refused::add);
      if (!refused.isEmpty()) {
        throw new AssertionError("bird -p: " + refused);
      }
    }
  }
}
