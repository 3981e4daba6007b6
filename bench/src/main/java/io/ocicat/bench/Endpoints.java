package io.ocicat.bench;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;

/** Generates workload endpoints as the calico plugin writes them, one for each number. */
final class Endpoints {
  static final String NAMESPACE = "shop";

  private Endpoints() {}

  static Resource of(int number) {
    String pod = "web-" + number;
    return Resource.of(
        new ResourceKey.Named(
            Kind.WORKLOAD_ENDPOINT, NAMESPACE, "node--a-k8s-web--" + number + "-eth0"),
        spec -> {
          spec.put("orchestrator", "k8s").put("node", "node-a").put("containerID", "4f1c0d9b77aa");
          spec.put("pod", pod).put("endpoint", "eth0").put("serviceAccountName", "default");
          spec.putArray("ipNetworks")
              .add("10.%d.%d.%d/32".formatted(number >> 16 & 255, number >> 8 & 255, number & 255));
          spec.putArray("profiles").add("kns.shop").add("ksa.shop.default");
          spec.put("interfaceName", "cali" + number).put("mac", "3a:5f:10:22:7c:01");
        });
  }
}
