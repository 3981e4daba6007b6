package io.ocicat.sandbox.container;

import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SecurityProfile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The security context of a container. Capabilities have their names without {@code CAP_} or with
 * it, in any case.
 *
 * @param targetId the container whose PID namespace is shared with {@link NamespaceMode#TARGET}
 * @param userNamespace whether a user namespace was asked for
 * @param runAsUser null when not stated
 * @param runAsUsername empty when not stated
 * @param runAsGroup null when not stated
 * @param strictGroups whether only {@code supplementalGroups} count, not those of the image
 * @param maskedPaths exactly these; none when it is empty
 */
public record ContainerSecurity(
    List<String> addCapabilities,
    List<String> dropCapabilities,
    List<String> addAmbientCapabilities,
    boolean privileged,
    NamespaceMode network,
    NamespaceMode pid,
    NamespaceMode ipc,
    String targetId,
    boolean userNamespace,
    @Nullable Long runAsUser,
    String runAsUsername,
    @Nullable Long runAsGroup,
    List<Long> supplementalGroups,
    boolean strictGroups,
    boolean readonlyRootfs,
    boolean noNewPrivileges,
    List<String> maskedPaths,
    List<String> readonlyPaths,
    SecurityProfile seccomp,
    SecurityProfile apparmor) {
  public static final ContainerSecurity NONE = builder().build();

  public ContainerSecurity {
    addCapabilities = List.copyOf(addCapabilities);
    dropCapabilities = List.copyOf(dropCapabilities);
    addAmbientCapabilities = List.copyOf(addAmbientCapabilities);
    supplementalGroups = List.copyOf(supplementalGroups);
    maskedPaths = List.copyOf(maskedPaths);
    readonlyPaths = List.copyOf(readonlyPaths);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Not thread-safe. */
  public static final class Builder {
    private List<String> add = List.of();
    private List<String> drop = List.of();
    private List<String> ambient = List.of();
    private boolean privileged;
    private NamespaceMode network = NamespaceMode.POD;
    private NamespaceMode pid = NamespaceMode.POD;
    private NamespaceMode ipc = NamespaceMode.POD;
    private String targetId = "";
    private boolean userNamespace;
    private @Nullable Long user;
    private String username = "";
    private @Nullable Long group;
    private List<Long> groups = List.of();
    private boolean strictGroups;
    private boolean readonlyRootfs;
    private boolean noNewPrivileges;
    private List<String> maskedPaths = List.of();
    private List<String> readonlyPaths = List.of();
    private SecurityProfile seccomp = SecurityProfile.UNCONFINED;
    private SecurityProfile apparmor = SecurityProfile.UNCONFINED;

    private Builder() {}

    public Builder capabilities(List<String> added, List<String> dropped, List<String> asAmbient) {
      this.add = added;
      this.drop = dropped;
      this.ambient = asAmbient;
      return this;
    }

    public Builder privileged(boolean all) {
      this.privileged = all;
      return this;
    }

    public Builder namespaces(NamespaceMode ofNetwork, NamespaceMode ofPid, NamespaceMode ofIpc) {
      this.network = ofNetwork;
      this.pid = ofPid;
      this.ipc = ofIpc;
      return this;
    }

    public Builder target(String containerId) {
      this.targetId = containerId;
      return this;
    }

    public Builder userNamespace(boolean own) {
      this.userNamespace = own;
      return this;
    }

    public Builder user(@Nullable Long uid, String name, @Nullable Long gid) {
      this.user = uid;
      this.username = name;
      this.group = gid;
      return this;
    }

    public Builder groups(List<Long> supplemental, boolean strict) {
      this.groups = supplemental;
      this.strictGroups = strict;
      return this;
    }

    public Builder readonlyRootfs(boolean readonly) {
      this.readonlyRootfs = readonly;
      return this;
    }

    public Builder noNewPrivileges(boolean never) {
      this.noNewPrivileges = never;
      return this;
    }

    public Builder paths(List<String> masked, List<String> readonly) {
      this.maskedPaths = masked;
      this.readonlyPaths = readonly;
      return this;
    }

    public Builder seccomp(SecurityProfile profile) {
      this.seccomp = profile;
      return this;
    }

    public Builder apparmor(SecurityProfile profile) {
      this.apparmor = profile;
      return this;
    }

    public ContainerSecurity build() {
      return new ContainerSecurity(
          add,
          drop,
          ambient,
          privileged,
          network,
          pid,
          ipc,
          targetId,
          userNamespace,
          user,
          username,
          group,
          groups,
          strictGroups,
          readonlyRootfs,
          noNewPrivileges,
          maskedPaths,
          readonlyPaths,
          seccomp,
          apparmor);
    }
  }
}
