package io.ocicat.daemon.state;

import io.ocicat.cni.exec.CniEnvironment;
import java.util.Map;

/** Reads the name of a container's Kubernetes pod from CNI_ARGS. */
public final class PodName {
  private static final String NAMESPACE = "K8S_POD_NAMESPACE=";
  private static final String NAME = "K8S_POD_NAME=";

  private PodName() {}

  /** As namespace/name; empty when the runtime did not pass it. */
  public static String of(Map<String, String> environment) {
    String namespace = "";
    String name = "";
    for (String arg : environment.getOrDefault(CniEnvironment.ARGS, "").split(";", -1)) {
      if (arg.startsWith(NAMESPACE)) {
        namespace = arg.substring(NAMESPACE.length());
      } else if (arg.startsWith(NAME)) {
        name = arg.substring(NAME.length());
      }
    }
    return name.isEmpty() ? "" : namespace + "/" + name;
  }
}
