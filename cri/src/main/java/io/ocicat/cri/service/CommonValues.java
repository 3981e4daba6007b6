package io.ocicat.cri.service;

import io.ocicat.cri.message.CommonMessages;
import io.ocicat.cri.message.CommonMessages.HugepageLimit;
import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.CommonMessages.UserNamespace;
import io.ocicat.cri.message.CommonMessages.UsernsMode;
import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SecurityProfile;
import org.jspecify.annotations.Nullable;

/** Converts what the messages of pods and containers share. */
final class CommonValues {
  private static final String LOCALHOST = "localhost/";

  private CommonValues() {}

  static NamespaceMode mode(CommonMessages.NamespaceMode mode) {
    return switch (mode) {
      case POD -> NamespaceMode.POD;
      case CONTAINER -> NamespaceMode.CONTAINER;
      case NODE -> NamespaceMode.NODE;
      case TARGET -> NamespaceMode.TARGET;
    };
  }

  static CommonMessages.NamespaceMode message(NamespaceMode mode) {
    return switch (mode) {
      case POD -> CommonMessages.NamespaceMode.POD;
      case CONTAINER -> CommonMessages.NamespaceMode.CONTAINER;
      case NODE -> CommonMessages.NamespaceMode.NODE;
      case TARGET -> CommonMessages.NamespaceMode.TARGET;
    };
  }

  /** Without options everything is the pod's. */
  static NamespaceOption orDefault(@Nullable NamespaceOption option) {
    return option != null
        ? option
        : new NamespaceOption(
            CommonMessages.NamespaceMode.POD,
            CommonMessages.NamespaceMode.POD,
            CommonMessages.NamespaceMode.POD,
            "",
            null);
  }

  /**
   * Whether a user namespace is asked for.
   *
   * @param at the field that holds the options
   */
  static boolean userNamespace(String at, NamespaceOption option) {
    UserNamespace users = option.usernsOptions();
    if (users == null) {
      return false;
    }
    boolean mapped = !users.uids().isEmpty() || !users.gids().isEmpty();
    if (users.mode() == UsernsMode.USERNS_NODE && mapped) {
      throw Required.invalid(
          at + ".userns_options has mappings, but the mode is the node's, which has none");
    }
    return users.mode() != UsernsMode.USERNS_NODE;
  }

  /**
   * The profile that a message names, else that of the old text, else none.
   *
   * @param at the field of the message
   */
  static SecurityProfile profile(
      String at, CommonMessages.@Nullable SecurityProfile message, String old) {
    if (message != null) {
      return switch (message.profileType()) {
        case RUNTIME_DEFAULT -> SecurityProfile.RUNTIME_DEFAULT;
        case UNCONFINED -> SecurityProfile.UNCONFINED;
        case LOCALHOST ->
            SecurityProfile.local(Required.text(at + ".localhost_ref", message.localhostRef()));
      };
    }
    if (old.startsWith(LOCALHOST)) {
      return SecurityProfile.local(old.substring(LOCALHOST.length()));
    }
    return switch (old) {
      case "", "unconfined" -> SecurityProfile.UNCONFINED;
      case "runtime/default", "docker/default" -> SecurityProfile.RUNTIME_DEFAULT;
      default ->
          throw Required.invalid(
              "%s: profile %s is not known: use runtime/default, unconfined or localhost/…"
                  .formatted(at, io.ocicat.base.Quoted.brief(old)));
    };
  }

  static LinuxResources resources(@Nullable LinuxContainerResources message) {
    if (message == null) {
      return LinuxResources.NONE;
    }
    return new LinuxResources(
        message.cpuPeriod(),
        message.cpuQuota(),
        message.cpuShares(),
        message.memoryLimitInBytes(),
        message.oomScoreAdj(),
        message.cpusetCpus(),
        message.cpusetMems(),
        message.hugepageLimits().stream()
            .map(limit -> new LinuxResources.HugepageLimit(limit.pageSize(), limit.limit()))
            .toList(),
        message.unified(),
        message.memorySwapLimitInBytes());
  }

  static LinuxContainerResources message(LinuxResources resources) {
    return new LinuxContainerResources(
        resources.cpuPeriod(),
        resources.cpuQuota(),
        resources.cpuShares(),
        resources.memoryLimit(),
        resources.oomScoreAdj(),
        resources.cpusetCpus(),
        resources.cpusetMems(),
        resources.hugepageLimits().stream()
            .map(limit -> new HugepageLimit(limit.pageSize(), limit.limit()))
            .toList(),
        resources.unified(),
        resources.memorySwapLimit());
  }
}
