package io.ocicat.cli.demo;

import io.ocicat.cli.doctor.KernelProbe;
import java.util.List;

/** The networks that can be shown, each a chain of plugins. */
enum Chain {
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
      """
      IPPool 10.65.0.0/16, cut into blocks of 64 addresses. A node takes a block for itself,
      then gives addresses out of it without asking anybody.
      """),
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
      """
      flanneld would write the node's subnet into /run/flannel/subnet.env; the demo does it:
      10.65.7.0/24 of 10.65.0.0/16. flannel makes a bridge's configuration of it.
      """);

  /** What calicoctl would be given; in a cluster its node agent creates the first. */
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

  Chain(String names, String conflist, String addresses) {
    this.names = names;
    this.conflist = conflist;
    this.addresses = addresses;
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
  List<String> addresses() {
    return addresses.lines().toList();
  }
}
