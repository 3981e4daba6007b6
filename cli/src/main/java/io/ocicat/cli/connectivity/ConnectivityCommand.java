package io.ocicat.cli.connectivity;

import io.ocicat.base.json.Json;
import io.ocicat.cli.check.AttachmentCheck;
import io.ocicat.cli.check.BirdSessions;
import io.ocicat.cli.check.ClusterPeers;
import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.PathCheck;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.options.RuntimeDirOptions;
import io.ocicat.cli.policy.PolicyCause;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ConnectionOptions;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.ip.IpAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat connectivity}: finds out by packets who reaches whom, and why not. */
@Command(
    name = "connectivity",
    description = {
      "Find out by packets who reaches whom, and why not.",
      "From this node and each of its pods to all nodes and pods of the cluster, and to published ports: with packets as large as the link takes, by ICMP and TCP."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Nodes and pods are those of the datastore; pods of this node are also found by their records."
          + " TCP carries full segments where \"ocicat connectivity --serve\" runs on the other node,"
          + " and else shows only that the other side answers.",
      "",
      "Example: ocicat connectivity --outside 192.0.2.1"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every pair is connected",
      "1:one is not, or it could not be found out",
      "2:the command line is invalid; nothing was done"
    })
public final class ConnectivityCommand implements Callable<Integer> {
  private static final String OUTSIDE = "outside";

  private final NodeContext context;
  private final CommandContext commandContext;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--outside",
      paramLabel = "ADDRESS",
      description = "An address outside of the cluster to reach as well; may be repeated.")
  private List<String> outside = List.of();

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description =
          "This node's name (default: NODENAME, else what /var/lib/calico/nodename says, else the host name).")
  private @Nullable String node;

  @Option(
      names = "--timeout",
      paramLabel = "MILLISECONDS",
      defaultValue = "1000",
      description = "How long to wait for each answer (default: ${DEFAULT-VALUE}).")
  private int timeout = 1000;

  @Option(
      names = "--tcp-port",
      paramLabel = "PORT",
      defaultValue = "24783",
      description = "The port of the TCP connections (default: ${DEFAULT-VALUE}).")
  private int port = 24783;

  @Option(
      names = "--serve",
      description = "Probe nothing: answer TCP connections in this node's pods until ended.")
  private boolean serve;

  @Option(
      names = "--with-others",
      hidden = true,
      description =
          "Answer TCP connections, say so and for which pods, and probe when told of those of other nodes on standard input; end with that.")
  private boolean withOthers;

  @Option(names = "--json", description = "Print JSON: an object for each pair.")
  private boolean json;

  @Mixin private RuntimeDirOptions dirs = new RuntimeDirOptions();
  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  public ConnectivityCommand(NodeContext context, CommandContext commandContext) {
    this.context = context;
    this.commandContext = commandContext;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (timeout < 1 || timeout > 60_000) {
      throw invalid("--timeout %d is not in 1–60000".formatted(timeout));
    }
    if (port < 1 || port > 65_535) {
      throw invalid("--tcp-port %d is not a port: 1–65535".formatted(port));
    }
    List<IpAddress> beyond = new ArrayList<>();
    for (String address : outside) {
      beyond.add(
          IpAddress.tryParse(address)
              .orElseThrow(
                  () -> invalid("--outside \"%s\" is not an IP address".formatted(address))));
    }
    String own = node != null ? node : context.nodeName();
    ExpectedAttachments expected =
        ExpectedAttachments.of(
            context.state(),
            Cni.builder()
                .confDirectory(dirs.confDirectory(context))
                .cacheDirectory(dirs.cacheDirectory())
                .build());
    Map<String, ProbeSource> pods = localPods(expected);
    try (TcpResponders responders = new TcpResponders()) {
      ProbeSource here = ProbeSource.node(own);
      boolean listening = responders.listen(here.netns(), port);
      for (ProbeSource pod : pods.values()) {
        listening &= responders.listen(pod.netns(), port);
      }
      if (serve) {
        return serve(listening, pods.size());
      }
      BufferedReader told =
          new BufferedReader(new InputStreamReader(commandContext.stdin(), StandardCharsets.UTF_8));
      JsonNode others = Json.object();
      if (withOthers) {
        out().println("serving " + Json.compact(addresses(pods)));
        out().flush();
        String line = told.readLine();
        others = line == null || line.isBlank() ? others : CniJson.parse(line);
      }
      ConnectivityMatrix matrix = probe(here, pods, expected, beyond, others);
      print(matrix);
      if (withOthers) {
        while (told.readLine() != null) {
          // Others may still be probing.
        }
      }
      return matrix.isComplete() ? 0 : 1;
    }
  }

  private ParameterException invalid(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private static Map<String, ProbeSource> localPods(ExpectedAttachments expected) {
    Map<String, ProbeSource> pods = new TreeMap<>();
    for (ExpectedAttachment attachment : expected.all()) {
      if (attachment.netnsIsThere() && !attachment.addresses().isEmpty()) {
        String name =
            attachment.pod().isEmpty()
                ? expected.shortIds().of(attachment.key().containerId())
                : attachment.pod();
        pods.putIfAbsent(name, ProbeSource.pod(name, attachment));
      }
    }
    return pods;
  }

  private int serve(boolean listening, int pods) throws InterruptedException {
    if (!listening) {
      throw new UncheckedIOException(
          new IOException(
              "cannot listen on TCP port %d here and in all of %d pods: give another --tcp-port, on all nodes"
                  .formatted(port, pods)));
    }
    out().println("serving on TCP port %d, on this node and in %d pods".formatted(port, pods));
    out().flush();
    Thread.sleep(Duration.ofDays(365));
    return 0;
  }

  private static ObjectNode addresses(Map<String, ProbeSource> pods) {
    ObjectNode json = Json.object();
    pods.forEach(
        (name, pod) ->
            json.set(name, Json.array(pod.addresses().stream().map(IpAddress::toString).toList())));
    return json;
  }

  private ConnectivityMatrix probe(
      ProbeSource here,
      Map<String, ProbeSource> pods,
      ExpectedAttachments expected,
      List<IpAddress> beyond,
      JsonNode others) {
    ClusterPeers peers = ClusterPeers.read(connection.read(commandContext)).withPods(others);
    List<ProbeSource> sources = new ArrayList<>(pods.values());
    sources.add(here);
    Duration limit = Duration.ofMillis(timeout);
    try (AttachmentCheck attachments = new AttachmentCheck(expected, context.ours()::named);
        PathCheck paths = PathCheck.here()) {
      Explanation explanation =
          new Explanation(
              here.name(),
              attachments,
              paths,
              peers,
              BirdSessions.in(context.folders().run()),
              new PolicyCause(connection.read(commandContext)),
              port,
              pods);
      List<PairResult> pairs =
          new ArrayList<>(
              new ConnectivityRun(new Probe(limit, port), explanation)
                  .run(sources, targets(here.name(), pods, peers, beyond)));
      for (ProbeSource pod : pods.values()) {
        List<IpAddress> own = peers.nodes().getOrDefault(here.name(), List.of());
        PublishedPort.of(pod, here.name(), own)
            .forEach(published -> pairs.add(published.probe(limit, explanation)));
      }
      return new ConnectivityMatrix(pairs);
    }
  }

  private static List<ProbeTarget> targets(
      String own, Map<String, ProbeSource> local, ClusterPeers peers, List<IpAddress> beyond) {
    Map<String, ProbeTarget> pods = new TreeMap<>();
    peers
        .pods()
        .forEach(
            (name, pod) ->
                pods.put(
                    name,
                    new ProbeTarget(ProbeTarget.Kind.POD, name, pod.node(), pod.addresses())));
    local.forEach(
        (name, pod) ->
            pods.put(name, new ProbeTarget(ProbeTarget.Kind.POD, name, own, pod.addresses())));
    List<ProbeTarget> targets = new ArrayList<>(pods.values());
    peers
        .nodes()
        .forEach(
            (name, addresses) ->
                targets.add(new ProbeTarget(ProbeTarget.Kind.NODE, name, name, addresses)));
    if (!beyond.isEmpty()) {
      targets.add(new ProbeTarget(ProbeTarget.Kind.OUTSIDE, OUTSIDE, "", beyond));
    }
    return targets;
  }

  private void print(ConnectivityMatrix matrix) {
    if (json) {
      out().println(withOthers ? Json.compact(matrix.toJson()) : Json.pretty(matrix.toJson()));
    } else {
      matrix.print(out());
    }
    out().flush();
  }
}
