package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cluster with policies in a datastore, seen from one of its nodes. Endpoints are spread over
 * namespaces and a thousand applications; each policy is in one namespace, selects one application
 * there, and allows another one of any namespace to reach a port.
 *
 * @param endpoints in the whole cluster; the first {@code local} of them are the node's own
 */
record PolicyScene(Datastore datastore, int namespaces, int endpoints, int policies, int local) {
  private static final int APPLICATIONS = 1000;
  private static final int PER_NODE = 100;

  void prepare(NetlinkSocket net) {
    for (int i = 0; i < namespaces; i++) {
      datastore.create(namespace(i, "blue"));
    }
    for (int i = 0; i < endpoints; i++) {
      datastore.create(endpoint(i, application(i)));
    }
    for (int i = 0; i < policies; i++) {
      datastore.create(policy(i));
    }
    for (int i = 0; i < local; i++) {
      addLink(net, i);
    }
  }

  static void addLink(NetlinkSocket net, int pod) {
    String name = "cali" + pod;
    Links.create(net, LinkSettings.named(name), new Veth(LinkSettings.named("pod" + pod)));
    net.perform(
        Links.up(AgentScene.index(net, name)), Links.up(AgentScene.index(net, "pod" + pod)));
  }

  private String application(int number) {
    return "app-" + number / namespaces % APPLICATIONS;
  }

  String namespace(int number) {
    return "ns-" + number % namespaces;
  }

  ResourceKey.Named endpointKey(int number) {
    return new ResourceKey.Named(
        Kind.WORKLOAD_ENDPOINT,
        namespace(number),
        "node--%d-k8s-pod--%d-eth0".formatted(node(number), number));
  }

  private int node(int number) {
    return number < local ? 0 : 1 + number / PER_NODE;
  }

  Resource endpoint(int number, String application) {
    return Resource.of(
            endpointKey(number),
            spec -> {
              spec.put("orchestrator", "k8s")
                  .put("node", "node-" + node(number))
                  .put("pod", "pod-" + number)
                  .put("endpoint", "eth0")
                  .put("containerID", "c" + number)
                  .put("interfaceName", "cali" + number)
                  .put("mac", "ee:ee:ee:ee:ee:ee");
              spec.putArray("ipNetworks").add(address(number) + "/32");
              spec.putArray("profiles").add("kns." + namespace(number));
            })
        .edit(document -> label(document, application, namespace(number)));
  }

  static void label(ObjectNode document, String application, String namespace) {
    document
        .withObject("/metadata")
        .putObject("labels")
        .put("app", application)
        .put("projectcalico.org/namespace", namespace)
        .put("projectcalico.org/orchestrator", "k8s");
  }

  static String address(int number) {
    return "10.%d.%d.%d".formatted(number >> 16, number >> 8 & 255, number & 255);
  }

  private Resource policy(int number) {
    String selected = "app-" + number / namespaces % APPLICATIONS;
    String allowed = "app-" + (number / namespaces + 1) % APPLICATIONS;
    return Resource.of(
        new ResourceKey.Named(Kind.NETWORK_POLICY, namespace(number), "policy-" + number),
        spec -> {
          spec.put("tier", "default")
              .put("order", 500)
              .put("selector", "app == '" + selected + "'");
          spec.putArray("types").add("Ingress");
          ObjectNode rule = spec.putArray("ingress").addObject();
          rule.put("action", "Allow").put("protocol", "TCP");
          rule.putObject("source")
              .put("selector", "app == '" + allowed + "'")
              .put("namespaceSelector", "all()");
          rule.putObject("destination").putArray("ports").add(8000 + number % 100);
        });
  }

  /** A namespace whose endpoints all change at once when its colour does. */
  Resource namespace(int number, String colour) {
    return Resource.of(new ResourceKey.Named(Kind.NAMESPACE, "", namespace(number)), _ -> {})
        .edit(
            document -> {
              document.remove("spec");
              document.withObject("/metadata").putObject("labels").put("colour", colour);
            });
  }

  /** A policy for every endpoint; the first of all. */
  static Resource forAll(String name, String colour) {
    return Resource.of(
        new ResourceKey.Named(Kind.GLOBAL_NETWORK_POLICY, "", name),
        spec -> {
          spec.put("tier", "default").put("order", 1).put("selector", "all()");
          spec.putArray("types").add("Ingress").add("Egress");
          ObjectNode rule = spec.putArray("ingress").addObject();
          rule.put("action", "Allow")
              .putObject("source")
              .put("namespaceSelector", "colour == '" + colour + "'");
          spec.putArray("egress").addObject().put("action", "Allow");
        });
  }
}
