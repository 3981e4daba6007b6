package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.UsageException;
import io.ocicat.datastore.model.IpamConfig;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ocicat ipam configure}: shows or changes IPAM's settings. */
@Command(
    name = "configure",
    description = "Change the settings of IPAM.",
    footer = {"", "Example: ocicat ipam configure --strictaffinity true"})
final class IpamConfigureCommand extends IpamCommandContext {
  @Option(
      names = "--strictaffinity",
      paramLabel = "BOOL",
      description = "Whether addresses of a block are for its own node only.")
  private @Nullable String strictAffinity;

  @Option(
      names = "--max-blocks-per-host",
      paramLabel = "N",
      description = "How many blocks a node may own; 0 for 20.")
  private @Nullable Integer maxBlocks;

  @Option(
      names = "--kubevirt-ip-persistence",
      paramLabel = "Enabled|Disabled",
      description = "Whether virtual machines keep their addresses.")
  private @Nullable String persistence;

  @Option(
      names = "--ip-cooldown-seconds",
      paramLabel = "N",
      description = "How long a released address is kept back; 0 to give it again at once.")
  private @Nullable Integer cooldown;

  IpamConfigureCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    if (strictAffinity == null && maxBlocks == null && persistence == null && cooldown == null) {
      throw new ParameterException(
          spec.commandLine(),
          "say what to change: --strictaffinity, --max-blocks-per-host,"
              + " --kubevirt-ip-persistence or --ip-cooldown-seconds");
    }
    return withIpam(
        (_, ipam) -> {
          IpamConfig changed = changed(ipam.config());
          ipam.configure(changed);
          if (json) {
            print(
                Json.object()
                    .put("strictAffinity", changed.strictAffinity())
                    .put("maxBlocksPerHost", changed.maxBlocksPerHost())
                    .put(
                        "kubeVirtVMAddressPersistence",
                        changed.keepVirtualMachineAddresses() ? "Enabled" : "Disabled")
                    .put("ipCooldownSeconds", changed.cooldownSeconds()));
          } else {
            report(changed);
          }
          return 0;
        });
  }

  private IpamConfig changed(IpamConfig now) {
    String strict = strictAffinity;
    Integer blocks = maxBlocks;
    String persistent = persistence;
    Integer seconds = cooldown;
    return new IpamConfig(
        strict == null ? now.strictAffinity() : bool("--strictaffinity", strict),
        now.autoAllocateBlocks(),
        blocks == null ? now.maxBlocksPerHost() : blocks,
        persistent == null ? now.keepVirtualMachineAddresses() : enabled(persistent),
        seconds == null ? now.cooldownSeconds() : seconds);
  }

  private void report(IpamConfig changed) {
    if (strictAffinity != null) {
      out().println("Successfully set StrictAffinity to: " + changed.strictAffinity());
    }
    if (maxBlocks != null) {
      out().println("Successfully set MaxBlocksPerHost to: " + changed.maxBlocksPerHost());
    }
    if (persistence != null) {
      out()
          .println(
              "Successfully set KubeVirtVMAddressPersistence to: "
                  + (changed.keepVirtualMachineAddresses() ? "Enabled" : "Disabled"));
    }
    if (cooldown != null) {
      out().println("Successfully set IPCooldownSeconds to: " + changed.cooldownSeconds());
    }
  }

  private static boolean bool(String option, String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "1", "t", "true" -> true;
      case "0", "f", "false" -> false;
      default ->
          throw new UsageException("%s must be true or false, not \"%s\"".formatted(option, text));
    };
  }

  private static boolean enabled(String text) {
    return switch (text) {
      case "Enabled" -> true;
      case "Disabled" -> false;
      default ->
          throw new UsageException(
              "--kubevirt-ip-persistence must be Enabled or Disabled, not \"%s\"".formatted(text));
    };
  }
}
