package io.ocicat.examples.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.Result;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import java.nio.file.Path;

/**
 * Attaches a container to a network, shows the addresses it got, and detaches it again. It needs a
 * network namespace: {@code ip netns add first} makes one.
 */
public final class FirstAttach {
  private FirstAttach() {}

  static void main(String[] args) {
    if (args.length != 4) {
      System.err.println(
          "usage: FirstAttach <conf directory> <plugin directory> <network> <netns>");
      System.exit(2);
    }
    try {
      attach(Path.of(args[0]), Path.of(args[1]), args[2], Path.of(args[3]));
    } catch (CniException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void attach(Path confDirectory, Path pluginDirectory, String name, Path netns) {
    Cni cni = Cni.at(confDirectory, pluginDirectory);
    Network network = cni.network(name);
    Container container = Container.of("first-attach", netns);
    Result result = network.add(container);
    result.ips().forEach(ip -> System.out.println(ip.address()));
    network.del(container);
  }
}
