package io.ocicat.agent.desired;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.view.ViewChange;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/**
 * Desired state is a function of the last state of each resource: whatever the order of changes,
 * however they are batched, repeated or taken back, it is what a computation from scratch gives.
 */
class CalicoNetworkTest {
  private static final String LOCAL = "node0";
  private static final AgentConfig CONFIG =
      EffectiveConfig.of(
              new ConfigSources(
                  Map.of("FELIX_FLOATINGIPS", "Enabled"), "", List.of(), LOCAL, Map.of()),
              null)
          .config();
  private static final HostNetwork HOST =
      new HostNetwork(Map.of(IpFamily.V4, "eth0", IpFamily.V6, "eth0"), 1500);
  private static final int SCENARIOS = 20;
  private static final int STEPS = 60;

  /** The state of a cluster: what the datastore would hold. */
  private static final class World {
    private final Map<ResourceKey, Resource> resources = new HashMap<>();
    private final Random random;
    private int revision;

    World(Random random) {
      this.random = random;
    }

    /** Creates, changes or deletes one resource; the event says what happened. */
    ResourceEvent step() {
      ResourceKey key = anyKey();
      revision++;
      if (resources.containsKey(key) && random.nextInt(3) == 0) {
        Resource last = resources.remove(key);
        return new ResourceEvent.Deleted(key, "" + revision, last);
      }
      Resource resource = any(key).withRevision("" + revision);
      return resources.put(key, resource) == null
          ? new ResourceEvent.Added(resource)
          : new ResourceEvent.Modified(resource);
    }

    private ResourceKey anyKey() {
      return switch (random.nextInt(6)) {
        case 0 -> ResourceKey.of(Kind.IP_POOL, "pool" + random.nextInt(3));
        case 1, 2 -> ResourceKey.of(Kind.NODE, "node" + random.nextInt(4));
        case 3, 4 -> new ResourceKey.Block(IpPrefix.parse(block(random.nextInt(8))));
        default ->
            ResourceKey.of(
                Kind.WORKLOAD_ENDPOINT,
                "default",
                "node0-k8s-pod%d-eth0".formatted(random.nextInt(4)));
      };
    }

    private static String block(int number) {
      return number < 6 ? "10.65.%d.0/26".formatted(number) : "fd00:65::%d:0/122".formatted(number);
    }

    private Resource any(ResourceKey key) {
      return switch (key.kind()) {
        case IP_POOL ->
            Resource.of(
                (ResourceKey.Named) key,
                spec ->
                    spec.put("cidr", pick("10.65.0.0/16", "10.65.0.0/22", "fd00:65::/48"))
                        .put("vxlanMode", pick("Never", "Always", "CrossSubnet"))
                        .put("ipipMode", pick("Never", "Always", "CrossSubnet"))
                        .put("natOutgoing", random.nextBoolean())
                        .put("nodeSelector", "all()"));
        case NODE -> Resource.of((ResourceKey.Named) key, this::fillNode);
        case IPAM_BLOCK -> block(key);
        default -> Resource.of((ResourceKey.Named) key, this::fillEndpoint);
      };
    }

    private void fillNode(ObjectNode spec) {
      if (random.nextInt(8) != 0) {
        spec.putObject("bgp")
            .put("ipv4Address", pick("192.168.7.1/24", "192.168.7.2/24", "192.168.9.3/24"))
            .put("ipv6Address", pick("fd00:7::1/64", "fd00:9::2/64"))
            .put("ipv4IPIPTunnelAddr", pick("10.65.0.1", "10.65.3.0"));
      }
      if (random.nextInt(4) != 0) {
        spec.put("ipv4VXLANTunnelAddr", pick("10.65.0.0", "10.65.1.0", "10.65.2.5"));
        spec.put("ipv6VXLANTunnelAddr", pick("fd00:65::6:0", "fd00:65::7:1"));
      }
      if (random.nextInt(6) == 0) {
        spec.put("vxlanTunnelMACAddr", "66:00:00:00:00:0" + random.nextInt(3));
      }
    }

    private Resource block(ResourceKey key) {
      ObjectNode json =
          StoredJson.parseObject(
              """
              {"cidr":"%s","affinity":"host:node%d","allocations":[null,0,null,1],
               "unallocated":[0,2],"attributes":[
                {"handle_id":"a","secondary":{"node":"node%d"}},
                {"handle_id":"b","secondary":{"node":"node%d"}}]}
              """
                  .formatted(key.name(), random.nextInt(4), random.nextInt(4), random.nextInt(4)));
      return Resource.of(key, json);
    }

    private void fillEndpoint(ObjectNode spec) {
      spec.put("orchestrator", "k8s")
          .put("node", random.nextInt(5) == 0 ? "node1" : LOCAL)
          .put("pod", "pod")
          .put("endpoint", "eth0")
          .put("interfaceName", "cali" + random.nextInt(3))
          .put("mac", "ee:ee:ee:00:00:0" + random.nextInt(3));
      spec.putArray("ipNetworks")
          .add("10.65.0.%d/32".formatted(random.nextInt(4)))
          .add("fd00:65::6:%d/128".formatted(random.nextInt(3)));
      if (random.nextBoolean()) {
        spec.putArray("ipNATs")
            .addObject()
            .put("internalIP", "10.65.0.1")
            .put("externalIP", "198.51.100." + random.nextInt(2));
      }
    }

    private String pick(String... choices) {
      return choices[random.nextInt(choices.length)];
    }
  }

  /** All that an agent would program. */
  private record Outcome(
      Map<?, ?> routes,
      Map<?, ?> neighbours,
      Map<?, ?> forwarding,
      Map<String, Optional<DesiredTunnel>> tunnels,
      Object nat,
      Map<String, Object> interfaces,
      int mtu) {
    static Outcome of(DesiredState state, CalicoNetwork network) {
      Map<String, Object> interfaces = new HashMap<>();
      network.interfaces().forEach(name -> interfaces.put(name, network.endpointOf(name)));
      Map<String, Optional<DesiredTunnel>> tunnels = new HashMap<>();
      state.tunnels().forEach(name -> tunnels.put(name, state.tunnel(name)));
      return new Outcome(
          state.routes().all(),
          state.neighbours().all(),
          state.forwarding().all(),
          tunnels,
          network.nat(),
          interfaces,
          network.workloadMtu());
    }
  }

  private static Outcome fromScratch(List<Resource> resources) {
    WatchedCluster view = new WatchedCluster(LOCAL);
    DesiredState state = new DesiredState();
    CalicoNetwork network = new CalicoNetwork(view, CONFIG, state);
    list(view, resources);
    network.follow(HOST);
    network.rebuild();
    return Outcome.of(state, network);
  }

  private static Set<ViewChange> list(WatchedCluster view, List<Resource> resources) {
    Set<ViewChange> changes = new LinkedHashSet<>();
    for (Kind kind : WatchedCluster.KINDS) {
      changes.addAll(
          view.apply(
              new ViewEvent.Listed(
                  kind,
                  resources.stream().filter(resource -> resource.kind() == kind).toList(),
                  List.of())));
    }
    return changes;
  }

  @Test
  void isTheSameWhateverTheHistory() {
    long seed = Long.getLong("ocicat.seed", System.nanoTime());
    System.out.println("histories come with -Docicat.seed=" + seed);
    int scenarios = SCENARIOS * Integer.getInteger("ocicat.longer", 1);
    for (int scenario = 0; scenario < scenarios; scenario++) {
      Random random = new Random(seed + scenario);
      World world = new World(random);
      WatchedCluster view = new WatchedCluster(LOCAL);
      DesiredState state = new DesiredState();
      CalicoNetwork network = new CalicoNetwork(view, CONFIG, state);
      list(view, List.of());
      network.follow(HOST);
      network.rebuild();
      for (int step = 0; step < STEPS; step++) {
        network.update(apply(view, batch(world, random)));
        if (random.nextInt(10) == 0) {
          List<Resource> all = new ArrayList<>(world.resources.values());
          Collections.shuffle(all, random);
          // Listed again after lost changes, or a link that went and came back.
          network.update(list(view, all));
          network.follow(HostNetwork.UNKNOWN);
          network.follow(HOST);
        }
        assertThat(Outcome.of(state, network))
            .as("scenario %d, step %d of seed %d", scenario, step, seed)
            .isEqualTo(fromScratch(List.copyOf(world.resources.values())));
      }
    }
  }

  private static List<ResourceEvent> batch(World world, Random random) {
    List<ResourceEvent> events = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      events.add(world.step());
    }
    return events;
  }

  private static Set<ViewChange> apply(WatchedCluster view, List<ResourceEvent> events) {
    Set<ViewChange> changes = new LinkedHashSet<>();
    for (ResourceEvent event : events) {
      changes.addAll(view.apply(new ViewEvent.Changed(event.key().kind(), List.of(event))));
    }
    return changes;
  }

  @Test
  void changedKeysAreExactlyThoseThatChanged() {
    Random random = new Random(7);
    World world = new World(random);
    WatchedCluster view = new WatchedCluster(LOCAL);
    DesiredState state = new DesiredState();
    CalicoNetwork network = new CalicoNetwork(view, CONFIG, state);
    list(view, List.of());
    network.follow(HOST);
    network.rebuild();
    Map<DesiredRoute.Key, DesiredRoute> known = new HashMap<>();
    for (int step = 0; step < 500; step++) {
      network.update(apply(view, batch(world, random)));
      Map<DesiredRoute.Key, DesiredRoute> now = state.routes().all();
      for (DesiredRoute.Key key : state.routes().takeChanged()) {
        @Nullable DesiredRoute route = now.get(key);
        if (route == null) {
          known.remove(key);
        } else {
          known.put(key, route);
        }
      }
      assertThat(known).isEqualTo(now);
    }
  }
}
