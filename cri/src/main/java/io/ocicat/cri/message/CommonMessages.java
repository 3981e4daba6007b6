package io.ocicat.cri.message;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What messages of several kinds are made of. */
public final class CommonMessages {
  private CommonMessages() {}

  /** Which namespace of a kind a container shares. */
  public enum NamespaceMode {
    POD,
    CONTAINER,
    NODE,
    TARGET
  }

  /** Where a security profile comes from. */
  public enum ProfileType {
    RUNTIME_DEFAULT,
    UNCONFINED,
    LOCALHOST
  }

  /** Whether the groups of the image's /etc/group count. */
  public enum SupplementalGroupsPolicy {
    MERGE,
    STRICT
  }

  /** Which user namespace; the names of NamespaceMode. */
  public enum UsernsMode {
    USERNS_POD,
    USERNS_CONTAINER,
    USERNS_NODE,
    USERNS_TARGET
  }

  /** A range of user or group ids. */
  public record IdMapping(long hostId, long containerId, long length) implements CriMessage {
    public static IdMapping read(Fields in) {
      return new IdMapping(
          in.unsigned32(1, "host_id"),
          in.unsigned32(2, "container_id"),
          in.unsigned32(3, "length"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, hostId).number(2, containerId).number(3, length);
    }
  }

  /** The user namespace of a pod. */
  public record UserNamespace(UsernsMode mode, List<IdMapping> uids, List<IdMapping> gids)
      implements CriMessage {
    public UserNamespace {
      uids = List.copyOf(uids);
      gids = List.copyOf(gids);
    }

    public static UserNamespace read(Fields in) {
      return new UserNamespace(
          in.choice(1, "mode", UsernsMode.values()),
          in.messages(2, "uids", IdMapping::read),
          in.messages(3, "gids", IdMapping::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, mode).messages(2, uids).messages(3, gids);
    }
  }

  /** The namespaces of a pod or container. */
  public record NamespaceOption(
      NamespaceMode network,
      NamespaceMode pid,
      NamespaceMode ipc,
      String targetId,
      @Nullable UserNamespace usernsOptions)
      implements CriMessage {
    public static NamespaceOption read(Fields in) {
      return new NamespaceOption(
          in.choice(1, "network", NamespaceMode.values()),
          in.choice(2, "pid", NamespaceMode.values()),
          in.choice(3, "ipc", NamespaceMode.values()),
          in.text(4, "target_id"),
          in.message(5, "userns_options", UserNamespace::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, network)
          .choice(2, pid)
          .choice(3, ipc)
          .text(4, targetId)
          .message(5, usernsOptions);
    }
  }

  /** A seccomp or AppArmor profile. */
  public record SecurityProfile(ProfileType profileType, String localhostRef)
      implements CriMessage {
    public static SecurityProfile read(Fields in) {
      return new SecurityProfile(
          in.choice(1, "profile_type", ProfileType.values()), in.text(2, "localhost_ref"));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, profileType).text(2, localhostRef);
    }
  }

  /** The SELinux label. */
  public record SeLinuxOption(String user, String role, String type, String level)
      implements CriMessage {
    public static SeLinuxOption read(Fields in) {
      return new SeLinuxOption(
          in.text(1, "user"), in.text(2, "role"), in.text(3, "type"), in.text(4, "level"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, user).text(2, role).text(3, type).text(4, level);
    }
  }

  /** The limit of huge pages of one size. */
  public record HugepageLimit(String pageSize, long limit) implements CriMessage {
    public static HugepageLimit read(Fields in) {
      return new HugepageLimit(in.text(1, "page_size"), in.number(2, "limit"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, pageSize).number(2, limit);
    }
  }

  /** The limits of a container; zero and empty mean that nothing was said. */
  public record LinuxContainerResources(
      long cpuPeriod,
      long cpuQuota,
      long cpuShares,
      long memoryLimitInBytes,
      long oomScoreAdj,
      String cpusetCpus,
      String cpusetMems,
      List<HugepageLimit> hugepageLimits,
      Map<String, String> unified,
      long memorySwapLimitInBytes)
      implements CriMessage {
    public LinuxContainerResources {
      hugepageLimits = List.copyOf(hugepageLimits);
      unified = Map.copyOf(unified);
    }

    public static LinuxContainerResources read(Fields in) {
      return new LinuxContainerResources(
          in.number(1, "cpu_period"),
          in.number(2, "cpu_quota"),
          in.number(3, "cpu_shares"),
          in.number(4, "memory_limit_in_bytes"),
          in.number(5, "oom_score_adj"),
          in.text(6, "cpuset_cpus"),
          in.text(7, "cpuset_mems"),
          in.messages(8, "hugepage_limits", HugepageLimit::read),
          in.map(9, "unified"),
          in.number(10, "memory_swap_limit_in_bytes"));
    }

    @Override
    public void write(FieldWriter out) {
      out.number(1, cpuPeriod)
          .number(2, cpuQuota)
          .number(3, cpuShares)
          .number(4, memoryLimitInBytes)
          .number(5, oomScoreAdj)
          .text(6, cpusetCpus)
          .text(7, cpusetMems)
          .messages(8, hugepageLimits)
          .map(9, unified)
          .number(10, memorySwapLimitInBytes);
    }
  }
}
