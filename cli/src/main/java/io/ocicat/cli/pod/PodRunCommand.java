package io.ocicat.cli.pod;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.trace.PodTrace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat pod run}: runs a pod. */
@Command(
    name = "run",
    description = {
      "Run a pod, and a program in it, if one is given.",
      "The pod has namespaces, held by a process, and a network. Prints its id."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod run web --infra none -p 8080:80 -- httpd -f"})
final class PodRunCommand extends PodCommand.Sub {
  @Parameters(index = "0", paramLabel = "NAME", description = "The pod's name.")
  private String name = "";

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "A program to run in it in the background, after --.")
  private List<String> command = List.of();

  @Option(
      names = "--uid",
      paramLabel = "UID",
      description = "The pod's uid (default: a random one).")
  private @Nullable String uid;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "A label of the pod; may be repeated.")
  private Map<String, String> labels = new TreeMap<>();

  @Option(
      names = "--annotation",
      paramLabel = "KEY=VALUE",
      description = "An annotation of the pod; may be repeated.")
  private Map<String, String> annotations = new TreeMap<>();

  @Option(
      names = {"-p", "--port"},
      paramLabel = "[ADDRESS:]HOST:CONTAINER[/PROTOCOL]",
      converter = PortOption.class,
      description = "A port of the host that leads to one of the pod; may be repeated.")
  private List<PodPort> ports = List.of();

  @Option(
      names = "--network",
      paramLabel = "NAME",
      defaultValue = "",
      description = "Which network (default: the first in the configuration directory).")
  private String network = "";

  @Option(names = "--host-network", description = "Use the host's network.")
  private boolean hostNetwork;

  @Option(
      names = "--hostname",
      paramLabel = "NAME",
      description = "Its host name (default: the pod's name).")
  private @Nullable String hostname;

  @Option(names = "--dns", paramLabel = "ADDRESS", description = "A name server; may be repeated.")
  private List<String> dnsServers = List.of();

  @Option(
      names = "--dns-search",
      paramLabel = "DOMAIN",
      description = "A domain that names are looked for in; may be repeated.")
  private List<String> dnsSearches = List.of();

  @Option(
      names = "--dns-option",
      paramLabel = "OPTION",
      description = "An option of the resolver; may be repeated.")
  private List<String> dnsOptions = List.of();

  @Option(
      names = "--sysctl",
      paramLabel = "KEY=VALUE",
      description = "A setting of the pod's kernel; may be repeated.")
  private Map<String, String> sysctls = new TreeMap<>();

  @Option(
      names = "--infra",
      paramLabel = "KIND",
      defaultValue = "",
      description =
          "What holds it: runc (a process) or none (its network namespace alone) (default: runc).")
  private String infra = "";

  @Option(
      names = "--log-root",
      paramLabel = "DIR",
      defaultValue = "/var/log/pods",
      description = "Where logs of pods are (default: ${DEFAULT-VALUE}).")
  private Path logRoot = Path.of("/var/log/pods");

  @Option(names = "--trace", description = "Show each step and how long it took.")
  private boolean trace;

  @Option(names = "--json", description = "Print all that is known of the pod, as JSON.")
  private boolean json;

  PodRunCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    recover(pods);
    PodTrace steps = new PodTrace();
    PodDrawing drawing = new PodDrawing(site().site());
    String id;
    try {
      id = pods.run(config(), infra, true, steps);
    } catch (SandboxException e) {
      if (trace && !steps.steps().isEmpty()) {
        drawing.print(steps.steps(), "", out());
      }
      throw e;
    }
    if (!command.isEmpty()) {
      start(pods, id);
    }
    if (json) {
      ObjectNode status = PodJson.of(pods.status(id));
      if (trace) {
        status.set("trace", drawing.toJson(steps.steps(), id));
      }
      out().println(Json.pretty(status));
    } else {
      out().println(id);
      if (trace) {
        drawing.print(steps.steps(), id, out());
      }
    }
    return 0;
  }

  /** A pod whose command did not start is of no use. */
  private void start(PodSandboxes pods, String id) {
    try {
      pods.start(id, name.length() > 63 ? "main" : name.replace('.', '-'), command);
    } catch (SandboxException e) {
      pods.remove(id);
      throw e;
    }
  }

  private PodConfig config() {
    PodMetadata metadata =
        new PodMetadata(
            name, options().namespace(), uid == null ? UUID.randomUUID().toString() : uid, 0);
    metadata.checkKubernetesNames();
    boolean dns = !dnsServers.isEmpty() || !dnsSearches.isEmpty() || !dnsOptions.isEmpty();
    return PodConfig.of(metadata)
        .hostname(hostNetwork ? "" : hostname == null ? firstLabel(name) : hostname)
        .logDirectory(
            logRoot.toAbsolutePath().resolve(metadata.logFolder().replace('/', '_')).toString())
        .dns(dns ? new DnsConfig(dnsServers, dnsSearches, dnsOptions) : null)
        .ports(ports)
        .labels(labels)
        .annotations(annotations)
        .networkName(network)
        .network(hostNetwork ? NamespaceMode.NODE : NamespaceMode.POD)
        .sysctls(sysctls)
        .build();
  }

  /** Linux takes at most 64 characters. */
  private static String firstLabel(String name) {
    return name.length() <= 63 ? name : name.substring(0, 63).replaceAll("[.-]+$", "");
  }
}
