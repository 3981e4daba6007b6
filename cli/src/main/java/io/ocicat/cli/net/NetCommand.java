package io.ocicat.cli.net;

import io.ocicat.cli.CniOptions;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.json.Json;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/**
 * The verbs of CNI by hand. Everything cnitool does, with its variables, its container ids, its
 * exit codes and its output, so that one can take over what the other attached.
 */
@Command(
    name = "net",
    description = "Attach containers to networks by hand, and look at networks.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND")
public final class NetCommand {
  private static final int ID_BYTES = 10;

  private final NetSettings settings;

  @Spec private CommandSpec spec = CommandSpec.create();

  private NetCommand(NetSettings settings) {
    this.settings = settings;
  }

  public static CommandLine of(NetSettings settings) {
    return new CommandLine(new NetCommand(settings))
        .addSubcommand(new NetListCommand(settings))
        .addSubcommand(new NetValidateCommand(settings))
        .addSubcommand(new NetVersionsCommand(settings));
  }

  @Command(
      description = "Attach the container and print the result, as JSON.",
      footer = {"", "Example: ocicat net add blue /run/netns/c1"})
  int add(@Mixin CniOptions options, @Mixin Which which) {
    JsonNode result = cni(options).network(which.network).add(container(which)).toJson();
    spec.commandLine().getOut().println(Json.pretty(result));
    return 0;
  }

  @Command(
      description = "Verify that the attachment is as ADD left it.",
      footer = {"", "Example: ocicat net check blue /run/netns/c1"})
  int check(@Mixin CniOptions options, @Mixin Which which) {
    cni(options).network(which.network).check(container(which));
    return 0;
  }

  @Command(
      description = "Detach the container.",
      footer = {"", "Example: ocicat net del blue /run/netns/c1"})
  int del(@Mixin CniOptions options, @Mixin Which which) {
    cni(options).network(which.network).del(container(which));
    return 0;
  }

  @Command(
      description = {
        "Detach what is not in use any more: everything but what --valid and --living name.",
        "With neither, all attachments of the network that are remembered."
      },
      footer = {"", "Example: ocicat net gc blue --living"})
  int gc(
      @Mixin CniOptions options,
      @Mixin WhichNetwork which,
      @Option(
              names = "--valid",
              paramLabel = "ID/IFNAME",
              description = "An attachment that is in use; may be repeated.")
          @Nullable List<String> valid,
      @Option(
              names = "--living",
              description =
                  "Attachments are in use when they are remembered, by their runtime or by ocicatd,"
                      + " and their network namespace is there; start no container meanwhile.")
          boolean living) {
    Network network = cni(options).network(which.network);
    if (valid == null && !living) {
      network.gcAll();
      return 0;
    }
    List<Attachment> attachments = new ArrayList<>();
    for (String text : valid == null ? List.<String>of() : valid) {
      attachments.add(attachment(text));
    }
    if (living) {
      attachments.addAll(LivingAttachments.of(network, settings.state()));
    }
    network.gc(attachments);
    return 0;
  }

  @Command(
      description = "Ask whether the network can attach containers now.",
      footer = {"", "Example: ocicat net status blue"})
  int status(@Mixin CniOptions options, @Mixin WhichNetwork which) {
    cni(options).network(which.network).status();
    return 0;
  }

  private Cni cni(CniOptions options) {
    return settings.cni(options, spec.commandLine().getErr());
  }

  private Container container(Which which) {
    String ifName =
        which.ifName != null ? which.ifName : settings.variable("CNI_IFNAME").orElse("eth0");
    String id = which.id != null ? which.id : idOf(which.netns);
    Container container = Container.of(id, which.netns).ifName(ifName).args(settings.args());
    for (Map.Entry<String, JsonNode> capability : settings.capabilityArgs().entrySet()) {
      container = container.capability(capability.getKey(), capability.getValue());
    }
    return container;
  }

  /** As cnitool makes it up from the namespace, so that DEL finds what either of the two added. */
  static String idOf(String netns) {
    try {
      byte[] path =
          Path.of(netns).toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-512").digest(path);
      return "cnitool-" + HexFormat.of().formatHex(hash, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-512", e);
    }
  }

  private static Attachment attachment(String text) {
    int slash = text.lastIndexOf('/');
    if (slash < 1 || slash == text.length() - 1) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "--valid \"%s\" is no attachment: write the container's id, a slash and the interface"
              .formatted(text));
    }
    return new Attachment(text.substring(0, slash), text.substring(slash + 1));
  }

  /** Which network is meant, by who asks for no attachment. */
  static final class WhichNetwork {
    @Parameters(index = "0", paramLabel = "NETWORK", description = "The network's name.")
    String network = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "NETNS",
        description = "Not looked at: cnitool wants one here, so it may be given.")
    @Nullable String netns;
  }

  /** Which attachment is meant. */
  static final class Which {
    @Parameters(index = "0", paramLabel = "NETWORK", description = "The network's name.")
    String network = "";

    @Parameters(
        index = "1",
        paramLabel = "NETNS",
        description = "The container's network namespace, as a path.")
    String netns = "";

    @Option(
        names = {"-i", "--ifname"},
        paramLabel = "NAME",
        scope = ScopeType.LOCAL,
        description = "The interface in the container (default: CNI_IFNAME, else eth0).")
    @Nullable String ifName;

    @Option(
        names = "--container-id",
        paramLabel = "ID",
        description = "The container's id (default: made from NETNS).")
    @Nullable String id;
  }
}
