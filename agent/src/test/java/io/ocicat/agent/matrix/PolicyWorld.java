package io.ocicat.agent.matrix;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Lan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The cluster that policies are tried in: two nodes with the namespaces x, y and z, the pods a, b
 * and c in each, and a host outside, all dual-stack on one LAN. Pods are as the calico plugin
 * leaves them; the agents of the nodes are the test's.
 */
public final class PolicyWorld implements AutoCloseable {
  public static final List<String> NAMESPACES = List.of("x", "y", "z");
  public static final List<String> PODS = List.of("a", "b", "c");

  private final Datastore datastore;
  private final Lan lan = Lan.open();
  private final List<Host> nodes = new ArrayList<>();
  private final Map<Actor, Host> hosts = new LinkedHashMap<>();
  private final Prober prober = new Prober();
  private int links;

  public PolicyWorld(Datastore datastore) {
    this.datastore = datastore;
    try {
      build();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void build() {
    tier("default", "{order: 1000000, defaultAction: Deny}");
    tier("kube-admin", "{order: 1000, defaultAction: Pass}");
    tier("kube-baseline", "{order: 10000000, defaultAction: Pass}");
    pool("v4", "10.65.0.0/16");
    pool("v6", "fd00:65::/48");
    for (int number = 1; number <= 2; number++) {
      addNode(number);
    }
    Host outside = plug("192.168.7.100/24", "fd00:7::100/64");
    script(
        outside,
        """
        ip route add 10.65.1.0/26 via 192.168.7.1
        ip route add 10.65.2.0/26 via 192.168.7.2
        ip -6 route add fd00:65::1:0/122 via fd00:7::1
        ip -6 route add fd00:65::2:0/122 via fd00:7::2
        """);
    add(
        new Actor(
            Actor.Type.OUTSIDE,
            "outside",
            "",
            IpAddress.parse("192.168.7.100"),
            IpAddress.parse("fd00:7::100")),
        outside);
    int number = 0;
    for (String namespace : NAMESPACES) {
      setNamespaceLabels(namespace, namespaceLabels(namespace));
      for (String pod : PODS) {
        addPod(namespace, pod, 1 + number % 2, number);
        number++;
      }
    }
  }

  private void tier(String name, String spec) {
    datastore.create(Stored.tier(name, spec));
  }

  private void pool(String name, String cidr) {
    datastore.create(
        Stored.of(
            Kind.IP_POOL,
            "",
            name,
            "{cidr: '%s', vxlanMode: Never, ipipMode: Never, natOutgoing: false}".formatted(cidr)));
  }

  private void addNode(int number) {
    String v4 = "192.168.7." + number;
    String v6 = "fd00:7::" + number;
    Host host = plug(v4 + "/24", v6 + "/64");
    // Many short flows: their remains must not fill the table of connections.
    script(
        host,
        """
        cd /proc/sys/net/netfilter
        for name in tcp_timeout_syn_sent tcp_timeout_close tcp_timeout_time_wait udp_timeout \
            udp_timeout_stream icmp_timeout icmpv6_timeout; do
          echo 2 > nf_conntrack_$name || true
        done
        """);
    nodes.add(host);
    String name = "node" + number;
    datastore.create(
        Stored.of(
            Kind.NODE,
            "",
            name,
            "{bgp: {ipv4Address: '%s/24', ipv6Address: '%s/64'}}".formatted(v4, v6)));
    try (Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
      BlockOwner owner = BlockOwner.host(name);
      ipam.claimAffinity(IpPrefix.parse("10.65.%d.0/26".formatted(number)), owner);
      ipam.claimAffinity(IpPrefix.parse("fd00:65::%d:0/122".formatted(number)), owner);
    }
    add(new Actor(Actor.Type.NODE, name, name, IpAddress.parse(v4), IpAddress.parse(v6)), host);
  }

  private Host plug(String... addresses) {
    Host host = Host.open();
    String device = lan.plug(host, addresses);
    script(
        host,
        "ip link set %s down; ip link set %s name eth0; ip link set eth0 up"
            .formatted(device, device));
    for (String address : addresses) {
      if (address.contains(":")) {
        // Lost when the link went down.
        host.tryExec("ip", "-6", "address", "add", address, "dev", "eth0", "nodad");
      }
    }
    return host;
  }

  private void add(Actor actor, Host host) {
    hosts.put(actor, host);
    prober.add(actor, host.path());
  }

  /** Attaches a pod and writes its endpoint. */
  public Actor addPod(String namespace, String pod, int node, int number) {
    Actor actor = attach(namespace, pod, node, number);
    writeEndpoint(actor, podLabels(pod));
    return actor;
  }

  /** Attaches a pod that has no endpoint yet. */
  public Actor attach(String namespace, String pod, int node, int number) {
    String v4 = "10.65.%d.%d".formatted(node, 4 + 3 * number);
    String v6 = "fd00:65::%d:%x".formatted(node, 4 + 3 * number);
    Actor actor =
        new Actor(
            Actor.Type.POD,
            namespace + "/" + pod,
            "node" + node,
            IpAddress.parse(v4),
            IpAddress.parse(v6));
    Host host = Host.open();
    String link = interfaceName(actor);
    script(
        nodes.get(node - 1),
        """
        ip link add %1$s type veth peer name eth0 netns %2$s
        ip link set %1$s address ee:ee:ee:ee:ee:ee up
        """
            .formatted(link, host.name()));
    script(
        host,
        """
        ip link set eth0 address %3$s up
        ip address add %1$s dev eth0
        ip -6 address add %2$s dev eth0 nodad
        ip route add 169.254.1.1 dev eth0 scope link
        ip route add default via 169.254.1.1
        ip neighbour add 169.254.1.1 lladdr ee:ee:ee:ee:ee:ee dev eth0
        ip -6 neighbour add fe80::ecee:eeff:feee:eeee lladdr ee:ee:ee:ee:ee:ee dev eth0
        ip -6 route add default via fe80::ecee:eeff:feee:eeee dev eth0
        """
            .formatted(v4, v6, "02:00:00:00:%02x:%02x".formatted(node, number)));
    links++;
    add(actor, host);
    return actor;
  }

  static String interfaceName(Actor pod) {
    return "cali" + pod.name().replace("/", "");
  }

  private static void script(Host host, String text) {
    host.exec("sh", "-ec", text);
  }

  public static Map<String, String> podLabels(String pod) {
    return Map.of("pod", pod);
  }

  public static Map<String, String> namespaceLabels(String namespace) {
    return Map.of("ns", namespace, "kubernetes.io/metadata.name", namespace);
  }

  /** Writes the endpoint of an attached pod as the calico plugin does. */
  public void writeEndpoint(Actor pod, Map<String, String> labels) {
    String namespace = namespaceOf(pod);
    String name = pod.name().substring(namespace.length() + 1);
    ResourceKey.Named key = endpointKey(pod);
    Resource resource =
        Resource.of(
            key,
            spec -> {
              spec.put("orchestrator", "k8s")
                  .put("node", pod.node())
                  .put("pod", name)
                  .put("endpoint", "eth0")
                  .put("containerID", "c-" + links)
                  .put("interfaceName", interfaceName(pod))
                  .put("serviceAccountName", "default");
              spec.putArray("ipNetworks").add(pod.v4() + "/32").add(pod.v6() + "/128");
              spec.putArray("profiles")
                  .add("kns." + namespace)
                  .add("ksa." + namespace + ".default");
              ArrayNode ports = spec.putArray("ports");
              for (String protocol : List.of("TCP", "UDP", "SCTP")) {
                for (int port : new int[] {80, 81}) {
                  ports
                      .addObject()
                      .put("name", "serve-%d-%s".formatted(port, protocol.toLowerCase(Locale.ROOT)))
                      .put("protocol", protocol)
                      .put("port", port);
                }
              }
            });
    datastore.create(Stored.labelled(resource, endpointLabels(namespace, labels)));
  }

  private static Map<String, String> endpointLabels(String namespace, Map<String, String> labels) {
    Map<String, String> all = new LinkedHashMap<>(labels);
    all.put(KnownEndpoint.NAMESPACE_LABEL, namespace);
    all.put(KnownEndpoint.ORCHESTRATOR_LABEL, "k8s");
    all.put(KnownEndpoint.ACCOUNT_LABEL, "default");
    return all;
  }

  private static ResourceKey.Named endpointKey(Actor pod) {
    String namespace = namespaceOf(pod);
    String name = pod.name().substring(namespace.length() + 1);
    return new ResourceKey.Named(
        Kind.WORKLOAD_ENDPOINT, namespace, "%s-k8s-%s-eth0".formatted(pod.node(), name));
  }

  public void setPodLabels(Actor pod, Map<String, String> labels) {
    String namespace = namespaceOf(pod);
    datastore.update(
        Stored.labelled(datastore.get(endpointKey(pod)), endpointLabels(namespace, labels)));
  }

  public void setProfiles(Actor pod, String... profiles) {
    editEndpoint(
        pod,
        spec -> {
          ArrayNode list = spec.putArray("profiles");
          for (String profile : profiles) {
            list.add(profile);
          }
        });
  }

  /** Changes the spec of a pod's endpoint. */
  public void editEndpoint(Actor pod, Consumer<ObjectNode> change) {
    datastore.update(
        datastore
            .get(endpointKey(pod))
            .edit(document -> change.accept(document.withObject("/spec"))));
  }

  /** Gives a stored resource the labels and the spec of another. */
  public void update(Resource changed) {
    datastore.update(
        datastore
            .get(changed.key())
            .edit(
                document -> {
                  ObjectNode wanted = changed.content();
                  document.set("spec", wanted.path("spec"));
                  document
                      .withObject("/metadata")
                      .setAll(Map.of("labels", wanted.path("metadata").path("labels")));
                  if (changed.labels().isEmpty()) {
                    document.withObject("/metadata").remove("labels");
                  }
                }));
  }

  /** Gives all pods and namespaces what they had in the beginning, and removes further pods. */
  public void restore() {
    for (Actor actor : actors()) {
      if (actor.isPod()) {
        String namespace = namespaceOf(actor);
        String pod = actor.name().substring(namespace.length() + 1);
        if (PODS.contains(pod)) {
          setPodLabels(actor, podLabels(pod));
          setProfiles(actor, "kns." + namespace, "ksa." + namespace + ".default");
        } else {
          removePod(actor);
        }
      }
    }
    NAMESPACES.forEach(it -> setNamespaceLabels(it, namespaceLabels(it)));
  }

  private static String namespaceOf(Actor pod) {
    return pod.name().substring(0, pod.name().indexOf('/'));
  }

  public void setNamespaceLabels(String namespace, Map<String, String> labels) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.NAMESPACE, "", namespace);
    try {
      datastore.update(Stored.labelled(datastore.get(key), labels));
    } catch (NotFoundException _) {
      datastore.create(Stored.labelled(Resource.of(key, _ -> {}), labels));
    }
  }

  /** Removes a pod with its link, as a DEL does. */
  public void removePod(Actor pod) {
    datastore.delete(endpointKey(pod), null);
    detach(pod);
  }

  /** Replaces the link of a pod by a new one of the same name. */
  public Actor relink(Actor pod) {
    String namespace = namespaceOf(pod);
    detach(pod);
    int last = Byte.toUnsignedInt(pod.v4().toByteArray()[3]);
    return attach(
        namespace,
        pod.name().substring(namespace.length() + 1),
        pod.node().equals("node1") ? 1 : 2,
        (last - 4) / 3);
  }

  /** The route that the calico plugin makes. */
  public void routeTo(Actor pod) {
    script(
        nodeOf(pod),
        """
        ip route replace %1$s dev %3$s scope link
        ip -6 route replace %2$s dev %3$s
        """
            .formatted(pod.v4(), pod.v6(), interfaceName(pod)));
  }

  private Host nodeOf(Actor pod) {
    return nodes.get(pod.node().equals("node1") ? 0 : 1);
  }

  /** Removes the link of a pod. */
  public void detach(Actor pod) {
    nodeOf(pod).exec("ip", "link", "del", interfaceName(pod));
    prober.remove(pod);
    Host host = hosts.remove(pod);
    if (host != null) {
      host.close();
    }
  }

  public Actor pod(String namespace, String pod) {
    String name = namespace + "/" + pod;
    return actors().stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
  }

  public List<Actor> actors() {
    return List.copyOf(hosts.keySet());
  }

  /** Node 1 or 2. */
  public Host node(int number) {
    return nodes.get(number - 1);
  }

  public Host host(Actor actor) {
    return Objects.requireNonNull(hosts.get(actor), actor::toString);
  }

  public Prober prober() {
    return prober;
  }

  public Datastore datastore() {
    return datastore;
  }

  /** All cells but those from a place to itself. */
  public List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Actor from : hosts.keySet()) {
      for (Actor to : hosts.keySet()) {
        if (!from.equals(to)) {
          for (Service service : Service.values()) {
            cells.add(new Cell(from, to, service, true));
            cells.add(new Cell(from, to, service, false));
          }
        }
      }
    }
    return cells;
  }

  @Override
  public void close() {
    prober.close();
    hosts.values().forEach(Host::close);
    lan.close();
  }
}
