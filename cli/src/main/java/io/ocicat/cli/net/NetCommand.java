package io.ocicat.cli.net;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.CniOptions;
import io.ocicat.cli.terminal.PluginMessages;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import io.ocicat.cni.runtime.NetworkNotFoundException;
import io.ocicat.cni.runtime.NotAttachedException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
 * {@code ocicat net}: the verbs of CNI by hand. Does everything that cnitool does, with its
 * variables, its container ids, its exit codes and its output, so that one can take over what the
 * other attached.
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
    return with(
        options,
        which.network,
        network -> {
          JsonNode result = network.add(presentContainer(which)).toJson();
          spec.commandLine().getOut().println(Json.pretty(result));
        });
  }

  @Command(
      description = "Verify that the attachment is as ADD left it.",
      footer = {"", "Example: ocicat net check blue /run/netns/c1"})
  int check(@Mixin CniOptions options, @Mixin Which which) {
    try {
      return with(options, which.network, network -> network.check(presentContainer(which)));
    } catch (NotAttachedException e) {
      throw new CniException(
          e.code(),
          "%s; attach it with `ocicat net add %s %s`"
              .formatted(e.getMessage(), which.network, which.netns),
          e);
    }
  }

  @Command(
      description = "Detach the container.",
      footer = {"", "Example: ocicat net del blue /run/netns/c1"})
  int del(@Mixin CniOptions options, @Mixin Which which) {
    return with(options, which.network, network -> network.del(container(which)));
  }

  @Command(
      description = {
        "Detach containers that are gone, and free what they had.",
        "A container lives while its network namespace is there: those that the runtime or ocicatd has a record of"
            + " stay attached. Start no container meanwhile. Prints what was detached.",
        "Also for a network that has no file any more, if ocicatd has records of it."
      },
      footer = {"", "Example: ocicat net gc blue"})
  int gc(
      @Mixin CniOptions options,
      @Mixin WhichNetwork which,
      @Option(
              names = "--valid",
              paramLabel = "ID/IFNAME",
              description = "An attachment that is in use as well; may be repeated.")
          @Nullable List<String> valid,
      @Option(
              names = "--all",
              description = "Detach living containers, too: everything but what --valid names.")
          boolean all) {
    List<Attachment> attachments = new ArrayList<>();
    for (String text : valid == null ? List.<String>of() : valid) {
      attachments.add(attachment(text));
    }
    try {
      return with(options, which.network, network -> collect(network, attachments, all));
    } catch (NetworkNotFoundException e) {
      try (RemovedNetwork removed = RemovedNetwork.of(which.network, settings, options)) {
        if (removed.collect() == 0) {
          throw e;
        }
        return 0;
      }
    }
  }

  private void collect(Network network, List<Attachment> attachments, boolean all) {
    if (network.config().disableGc()) {
      spec.commandLine()
          .getErr()
          .println("ocicat: network %s has disableGC: nothing is done".formatted(network.name()));
    } else if (all && attachments.isEmpty()) {
      network.gcAll(this::tellDetached);
    } else {
      if (!all) {
        attachments.addAll(LivingAttachments.of(network, settings.state()));
      }
      network.gc(attachments, this::tellDetached);
    }
  }

  private void tellDetached(Attachment attachment) {
    spec.commandLine()
        .getOut()
        .println("detached %s/%s".formatted(attachment.containerId(), attachment.ifName()));
  }

  @Command(
      description = "Ask whether the network can attach containers now.",
      footer = {"", "Example: ocicat net status blue"})
  int status(@Mixin CniOptions options, @Mixin WhichNetwork which) {
    return with(options, which.network, Network::status);
  }

  /** Plugins' output is shown unless they fail: then the error is all there is to read. */
  private int with(CniOptions options, String name, Consumer<Network> work) {
    PrintWriter err = spec.commandLine().getErr();
    PluginMessages messages = settings.messages(err);
    work.accept(settings.cni(options, err, messages).network(name));
    messages.show();
    return 0;
  }

  /** For verbs that need the container's namespace. */
  private Container presentContainer(Which which) {
    NetnsArgument netns = new NetnsArgument(which.netns);
    return container(which, netns.existingPath());
  }

  private Container container(Which which) {
    return container(which, new NetnsArgument(which.netns).path());
  }

  private Container container(Which which, String netns) {
    String ifName =
        which.ifName != null ? which.ifName : settings.variable("CNI_IFNAME").orElse("eth0");
    String id = which.id != null ? which.id : idOf(netns);
    Container container = Container.of(id, netns).ifName(ifName).args(settings.args());
    for (Map.Entry<String, JsonNode> capability : settings.capabilityArgs().entrySet()) {
      container = container.capability(capability.getKey(), capability.getValue());
    }
    return container;
  }

  /** As cnitool derives it from the namespace, so that DEL finds what either of the two added. */
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
          "--valid \"%s\" is not an attachment: write the container's id, a slash and the interface"
              .formatted(text));
    }
    return new Attachment(text.substring(0, slash), text.substring(slash + 1));
  }

  /** Selects a network, for verbs without an attachment. */
  static final class WhichNetwork {
    @Parameters(index = "0", paramLabel = "NETWORK", description = "The network's name.")
    String network = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "NETNS",
        description = "Ignored: cnitool requires one here, so it is accepted.")
    @Nullable String netns;
  }

  /** Selects an attachment. */
  static final class Which {
    @Parameters(index = "0", paramLabel = "NETWORK", description = "The network's name.")
    String network = "";

    @Parameters(
        index = "1",
        paramLabel = "NETNS",
        description = "The container's network namespace: a path, or a name that `ip netns` shows.")
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
