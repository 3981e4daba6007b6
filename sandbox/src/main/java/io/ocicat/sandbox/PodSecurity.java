package io.ocicat.sandbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The security context of a pod. It applies to the infra process, which is ours and always runs
 * unprivileged; containers have contexts of their own. A container may be privileged only if its
 * pod is.
 *
 * @param runAsUser null when not stated
 * @param runAsGroup null when not stated
 * @param userNamespace whether the pod asks for a user namespace of its own
 */
public record PodSecurity(
    boolean privileged,
    @Nullable Long runAsUser,
    @Nullable Long runAsGroup,
    List<Long> supplementalGroups,
    boolean readonlyRootfs,
    SecurityProfile seccomp,
    boolean userNamespace) {
  public static final PodSecurity NONE =
      new PodSecurity(false, null, null, List.of(), false, SecurityProfile.UNCONFINED, false);
  public static final PodSecurity PRIVILEGED =
      new PodSecurity(true, null, null, List.of(), false, SecurityProfile.UNCONFINED, false);

  public PodSecurity {
    supplementalGroups = List.copyOf(supplementalGroups);
  }
}
