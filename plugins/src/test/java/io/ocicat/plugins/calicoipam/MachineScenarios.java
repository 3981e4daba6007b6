package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Kubevirt;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** One KubeVirt machine, the pods that run it, and the calls for them. */
interface MachineScenarios {
  String HANDLE = "net1.vmi.shop.vm";
  String FIRST = "virt-launcher-vm-aaaaa";
  String NEXT = "virt-launcher-vm-bbbbb";

  TestCluster server();

  Cluster cluster();

  Kubevirt kubevirt();

  default Ipam pod(String name) {
    return pod(name, "");
  }

  /** Each pod has a container, named after the pod's last letters. */
  default Ipam pod(String name, String ipam) {
    return cluster()
        .net(ipam)
        .container(name.substring(name.lastIndexOf('-') + 1))
        .with("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=" + name);
  }

  static Ipam asking(Ipam pod, String address) {
    return pod.with("CNI_ARGS", pod.variables().get("CNI_ARGS") + ";IP=" + address);
  }

  /** A pod that the machine starts in, attached. */
  default JsonNode started(String name) {
    kubevirt().pod(name, "vm");
    return pod(name).add().ok();
  }

  /** A pod that the machine migrates to, attached. */
  default JsonNode moved(String name) {
    kubevirt().target(name, "vm");
    return pod(name).add().ok();
  }

  static List<String> ips(JsonNode result) {
    return result
        .path("ips")
        .valueStream()
        .map(ip -> ip.path("address").asString().replaceAll("/.*", ""))
        .toList();
  }

  default AddressInfo only() {
    assertThat(cluster().assigned()).hasSize(1);
    return cluster().assigned().getFirst();
  }

  default void persistence(String value) {
    cluster()
        .datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IPAM_CONFIGURATION, "", "default"),
                spec ->
                    spec.put("strictAffinity", false)
                        .put("autoAllocateBlocks", true)
                        .put("kubeVirtVMAddressPersistence", value)));
  }

  default io.ocicat.ipam.Ipam library() {
    return io.ocicat.ipam.Ipam.forOneCall(cluster().datastore(), ClockAndRandom.ofSystem());
  }
}
