package io.ocicat.examples.runtime;

import io.ocicat.cni.Result;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import java.nio.file.Path;

/** The README's first example: attaches a container to a network in five lines. */
public final class BlueNetwork {
  private BlueNetwork() {}

  static void main() {
    Cni cni = Cni.at(Path.of("/tmp/net.d"), Path.of("dist/ocicat/cni"));
    Network network = cni.network("blue");
    Container container = Container.of("c1", Path.of("/run/netns/c1"));
    Result result = network.add(container);
    network.del(container);
    result.ips().forEach(ip -> System.out.println(ip.address()));
  }
}
