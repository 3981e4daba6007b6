package io.ocicat.plugins.portmap;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Names the owner of a host port by its pod, for messages. The kernel has only network, container
 * and interface, in the comment of an element; the pod comes from the runtime's libcni cache, if
 * that is in its usual place. Used only when an ADD is refused.
 *
 * @param cache libcni's
 */
record PortOwner(Path cache) {
  static final PortOwner USUAL = new PortOwner(Path.of("/var/lib/cni"));

  private static final int SHORT_ID = 12;

  /** The pod as namespace/name; empty when the container is not a pod, or is not in the cache. */
  Optional<String> pod(String label) {
    try {
      return Cni.builder().cacheDirectory(cache).build().attachments(container(label)).stream()
          .flatMap(attachment -> pod(attachment).stream())
          .findFirst();
    } catch (CniException _) {
      // A truncated id, or a cache that cannot be read: the label has to do.
      return Optional.empty();
    }
  }

  private static Optional<String> pod(CachedAttachment attachment) {
    CniArgs args = attachment.container().args();
    return args.get("K8S_POD_NAME")
        .map(name -> args.get("K8S_POD_NAMESPACE").orElse("") + "/" + name);
  }

  private static String container(String label) {
    return label.substring(label.indexOf('/') + 1, label.lastIndexOf('/'));
  }

  /** The label with the container's id shortened. */
  static String brief(String label) {
    String id = container(label);
    return id.length() <= SHORT_ID
        ? label
        : label.replace("/" + id + "/", "/" + id.substring(0, SHORT_ID) + "/");
  }
}
