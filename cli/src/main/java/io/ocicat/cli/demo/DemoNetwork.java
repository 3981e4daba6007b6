package io.ocicat.cli.demo;

import io.ocicat.cli.doctor.KernelProbe;
import java.util.List;

/** The networks that the demo can show, each a chain of plugins. */
enum DemoNetwork {
  CALICO(
      "calico → calico-ipam → portmap → bandwidth",
      """
      {
        "cniVersion": "1.0.0",
        "name": "k8s-pod-network",
        "plugins": [
          {"type": "calico", "datastore_type": "embedded", "nodename": "node-1",
           "ipam": {"type": "calico-ipam"}, "policy": {"type": "k8s"}},
          {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}},
          {"type": "bandwidth", "capabilities": {"bandwidth": true}}
        ]
      }
      """,
      "The IPPool 10.65.0.0/16 is divided into blocks of 64 addresses. A node claims a block, then"
          + " allocates addresses from it without asking other nodes.",
      "--flannel shows the chain flannel → bridge → host-local"),
  FLANNEL(
      "flannel → bridge → host-local, then portmap → bandwidth",
      """
      {
        "cniVersion": "1.0.0",
        "name": "cbr0",
        "plugins": [
          {"type": "flannel", "subnetFile": "/run/flannel/subnet.env",
           "delegate": {"hairpinMode": true, "isDefaultGateway": true}},
          {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}},
          {"type": "bandwidth", "capabilities": {"bandwidth": true}}
        ]
      }
      """,
      "flanneld would write the node's subnet into /run/flannel/subnet.env; here the demo does:"
          + " 10.65.7.0/24 of 10.65.0.0/16. The flannel plugin turns it into a configuration of"
          + " bridge and host-local, and calls these.",
      "without --flannel it shows Calico's plugins");

  /**
   * A command that shows something on a node that was kept.
   *
   * @param shows what
   */
  record Hint(String command, String shows) {}

  /** The resources that calicoctl would apply; in a cluster the node agent creates the first. */
  static final String RESOURCES =
      """
      apiVersion: projectcalico.org/v3
      kind: Node
      metadata: {name: node-1}
      spec: {}
      ---
      apiVersion: projectcalico.org/v3
      kind: IPPool
      metadata: {name: pods}
      spec: {cidr: 10.65.0.0/16, blockSize: 26}
      """;

  static final String SUBNET =
      """
      FLANNEL_NETWORK=10.65.0.0/16
      FLANNEL_SUBNET=10.65.7.1/24
      FLANNEL_MTU=1450
      FLANNEL_IPMASQ=true
      """;

  private final String names;
  private final String conflist;
  private final String addresses;
  private final String other;

  DemoNetwork(String names, String conflist, String addresses, String other) {
    this.names = names;
    this.conflist = conflist;
    this.addresses = addresses;
    this.other = other;
  }

  /** Whether no network can be shown without it. */
  static boolean allNeed(KernelProbe.Missing missing) {
    return missing.feature().needed() && !missing.feature().name().equals("bridge");
  }

  String names() {
    return names;
  }

  String conflist() {
    return conflist;
  }

  /** Where its addresses come from. */
  String addresses() {
    return addresses;
  }

  /** What to inspect on a node with this network. */
  List<Hint> hints() {
    return switch (this) {
      case CALICO ->
          List.of(
              new Hint("ocicat pod ls", "the pods"),
              new Hint("ocicat trace web", "what was done for web, step by step"),
              new Hint("ocicat status", "the daemon and what is attached"),
              new Hint("ocicat ipam show --map", "pools, blocks and their addresses"),
              new Hint("ocicat get workloadendpoints", "the pods in Calico's datastore"),
              new Hint("ip route", "the node's routes, one to each pod"),
              new Hint("ocicat pod exec web -- ip route", "the pod's routes"));
      case FLANNEL ->
          List.of(
              new Hint("ocicat pod ls", "the pods"),
              new Hint("ocicat trace web", "what was done for web, step by step"),
              new Hint("ocicat status", "the daemon and what is attached"),
              new Hint("ls /var/lib/cni/networks/cbr0", "host-local's leases, one file each"),
              new Hint("ip -brief link show master cni0", "the bridge's ports, one for each pod"),
              new Hint("ip route", "the node's routes"),
              new Hint("ocicat pod exec web -- ip route", "the pod's routes"));
    };
  }

  /** How to see the other one. */
  String other() {
    return other;
  }
}
