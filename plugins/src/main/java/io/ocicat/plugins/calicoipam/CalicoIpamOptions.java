package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.support.PluginOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The command-line options of the executable: {@code calico-ipam -v} and {@code -upgrade}. */
public final class CalicoIpamOptions implements PluginOptions {
  private static final int USAGE = 2;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** It runs as an init container, which is restarted when this ends. */
  private static final int MAX_TRIES = 300;

  private final Datastores datastores;
  private final Map<String, String> environment;
  private final HostLocalUpgrade.Places places;

  public CalicoIpamOptions(Datastores datastores, Map<String, String> environment) {
    this(datastores, environment, HostLocalUpgrade.Places.OF_CALICO);
  }

  /** For tests, which use files of their own. */
  CalicoIpamOptions(
      Datastores datastores, Map<String, String> environment, HostLocalUpgrade.Places places) {
    this.datastores = datastores;
    this.environment = Map.copyOf(environment);
    this.places = places;
  }

  /** Runs what the flags ask for. */
  @Override
  public PluginReply run(List<String> flags, String version, InputStream stdin) {
    if (flags.equals(List.of("-v"))) {
      return answer(0, version + "\n", "");
    }
    if (flags.equals(List.of("-upgrade"))) {
      return upgrade();
    }
    return answer(
        USAGE,
        "",
        """
        usage: calico-ipam -v         print the version
               calico-ipam -upgrade   take addresses over from host-local
        """);
  }

  private PluginReply upgrade() {
    String node = environment.getOrDefault("KUBERNETES_NODE_NAME", "");
    if (node.isEmpty()) {
      return answer(1, "", "KUBERNETES_NODE_NAME is missing: set it to the name of this node\n");
    }
    String last = "";
    for (int i = 0; i < MAX_TRIES; i++) {
      try {
        int taken = new HostLocalUpgrade(datastore(), node, places).run();
        return answer(0, "", "%d addresses were taken over from host-local\n".formatted(taken));
      } catch (IOException | DatastoreException | IpamException | NetlinkException e) {
        last = String.valueOf(e.getMessage());
      }
      if (!pause()) {
        break;
      }
    }
    return answer(1, "", "addresses could not be taken over from host-local: %s\n".formatted(last));
  }

  /** Kubernetes, as in Calico, unless another datastore is named. */
  private Datastore datastore() {
    Map<String, String> asked = new HashMap<>(environment);
    asked.putIfAbsent("DATASTORE_TYPE", "kubernetes");
    return datastores.of(DatastoreConfig.ofEnvironment(asked));
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static PluginReply answer(int exitCode, String stdout, String stderr) {
    return new PluginReply(exitCode, stdout.getBytes(StandardCharsets.UTF_8), stderr);
  }
}
