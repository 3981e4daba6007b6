package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.ipam.model.CalicoConventions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The pod of a container, as named in CNI_ARGS. */
record PodReference(String namespace, String name) {
  static final String REQUESTED_IP = "IP";
  private static final String NAME_ARG = "K8S_POD_NAME";
  private static final String NAMESPACE_ARG = "K8S_POD_NAMESPACE";
  private static final Set<String> ARGS =
      Set.of(
          REQUESTED_IP,
          NAME_ARG,
          NAMESPACE_ARG,
          "K8S_POD_INFRA_CONTAINER_ID",
          "K8S_POD_UID",
          "CNI_TEST_NAMESPACE");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?");

  /**
   * The pod of an ADD; empty for a container that is not a pod.
   *
   * @throws CniException with code 4 when CNI_ARGS is invalid
   */
  static Optional<PodReference> of(AddCall call) {
    CniArgs args = call.args();
    args.refuseUnknown(ARGS);
    Optional<PodReference> pod = find(args);
    pod.ifPresent(
        found -> {
          requireName(NAMESPACE_ARG, found.namespace);
          requireName(NAME_ARG, found.name);
        });
    return pod;
  }

  /** The pod, for a call that continues despite invalid arguments. */
  static Optional<PodReference> ifNamed(AttachmentCall call) {
    try {
      return find(call.args());
    } catch (CniException e) {
      call.log("CNI_ARGS is ignored: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<PodReference> find(CniArgs args) {
    String name = args.get(NAME_ARG).orElse("");
    String namespace = args.get(NAMESPACE_ARG).orElse("");
    return name.isEmpty() || namespace.isEmpty()
        ? Optional.empty()
        : Optional.of(new PodReference(namespace, name));
  }

  /** Whether it is the pod recorded with an address. */
  boolean isRecordedIn(Map<String, String> owner) {
    return namespace.equals(owner.get(CalicoConventions.NAMESPACE))
        && name.equals(owner.get(CalicoConventions.POD));
  }

  @Override
  public String toString() {
    return "pod %s/%s".formatted(namespace, name);
  }

  private static void requireName(String argument, String value) {
    if (!NAME.matcher(value).matches()) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "%s \"%s\" is not a name of Kubernetes".formatted(argument, value),
          "it must be lower-case letters, digits, - and ., with a letter or digit at both ends");
    }
  }
}
