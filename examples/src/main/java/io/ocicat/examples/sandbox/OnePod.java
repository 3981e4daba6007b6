package io.ocicat.examples.sandbox;

import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.network.ClusterPods;
import io.ocicat.sandbox.network.NetworkSettings;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxSettings;
import java.nio.file.Path;
import java.util.List;

/** Runs a pod that is a network namespace alone, shows its address, and removes it. */
public final class OnePod {
  private OnePod() {}

  static void main() {
    Path state = Path.of("/var/lib/ocicat/pods");
    Path run = Path.of("/run/ocicat/pods");
    PodNetworks networks = new PodNetworks(NetworkSettings.usual(run));
    PodSandboxes pods =
        new PodSandboxes(
            SandboxSettings.usual(state, run, List.of(new NoInfra()), ClusterPods.NOBODY),
            networks);
    pods.recover();
    String id = pods.run(PodConfig.of(new PodMetadata("web", "shop", "u-1", 0)).build(), "");
    System.out.println(pods.status(id).ips());
    pods.remove(id);
  }
}
