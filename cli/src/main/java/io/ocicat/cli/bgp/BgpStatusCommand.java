package io.ocicat.cli.bgp;

import io.ocicat.agent.bird.BgpSession;
import io.ocicat.agent.bird.BirdControl;
import io.ocicat.agent.bird.BirdDaemon;
import io.ocicat.agent.bird.BirdException;
import io.ocicat.agent.bird.BirdFiles;
import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.TextTable;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat bgp status}: what BIRD on this node says about its sessions. */
@Command(
    name = "status",
    description = {
      "List the BGP peers of this node, and why a session is down.",
      "Asks BIRD itself, so that it works without an agent, too."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat bgp status --json"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:a session is established, no peer is configured, or BGP is off on this node",
      "1:BIRD does not run, or none of its sessions is established",
      "2:the command line is invalid; nothing was done"
    })
final class BgpStatusCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  BgpStatusCommand(NodeContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    BirdFiles files = new BirdFiles(context.folders().run());
    if (!Files.exists(files.configuration()) && !Files.exists(files.socket())) {
      if (json) {
        out.println(Json.pretty(Json.object().put("enabled", false)));
      } else {
        out.println(
            "BGP is off on this node: no agent runs BIRD here (one does with"
                + " CALICO_NETWORKING_BACKEND=bird)");
      }
      out.flush();
      return 0;
    }
    BirdDaemon daemon;
    List<BgpSession> sessions;
    try (BirdControl bird = BirdControl.connect(files.socket(), LIMIT).restricted()) {
      daemon = bird.daemon();
      sessions = BgpSession.among(bird.protocolsInDetail());
    } catch (BirdException.Unreachable e) {
      throw new IllegalStateException(
          "BIRD does not run, although BGP is on: see \"ocicat agent status\" and %s (%s)"
              .formatted(files.log(), e.getMessage()),
          e);
    }
    boolean cut = !sessions.isEmpty() && sessions.stream().noneMatch(BgpSession::isEstablished);
    if (json) {
      out.println(Json.pretty(json(daemon, sessions)));
    } else {
      print(daemon, sessions, out);
      if (cut) {
        out.printf("none of the %d sessions is established%n", sessions.size());
      }
    }
    out.flush();
    return cut ? 1 : 0;
  }

  private static void print(BirdDaemon daemon, List<BgpSession> sessions, PrintWriter out) {
    out.printf(
        "BIRD %s, router ID %s, running since %s, configured %s%n",
        daemon.version(), daemon.routerId(), daemon.started(), daemon.configured());
    if (daemon.isRecovering()) {
      out.println(
          "It was restarted and waits for its peers; until then the kernel's routes stay as they"
              + " are.");
    }
    if (sessions.isEmpty()) {
      out.println("No peer is configured.");
    }
    print("IPv4", sessions.stream().filter(session -> !session.isIpv6()).toList(), out);
    print("IPv6", sessions.stream().filter(BgpSession::isIpv6).toList(), out);
  }

  private static void print(String family, List<BgpSession> sessions, PrintWriter out) {
    if (sessions.isEmpty()) {
      return;
    }
    out.printf("%n%s%n", family);
    TextTable table =
        new TextTable("PEER ADDRESS", "PEER TYPE", "STATE", "SINCE", "IN", "OUT", "INFO");
    for (BgpSession session : sessions) {
      table.row(
          session.address(),
          session.type().toString(),
          session.state(),
          session.since(),
          Long.toString(session.imported()),
          Long.toString(session.exported()),
          session.info());
    }
    table.printTo(out);
    for (BgpSession session : sessions) {
      session.hint().ifPresent(hint -> out.printf("%s: %s%n", session.address(), hint));
    }
  }

  private static ObjectNode json(BirdDaemon daemon, List<BgpSession> sessions) {
    ObjectNode json = Json.object();
    json.put("enabled", true);
    json.put("version", daemon.version());
    json.put("routerID", daemon.routerId());
    json.put("started", daemon.started());
    json.put("configured", daemon.configured());
    json.put("recovering", daemon.isRecovering());
    ArrayNode items = json.putArray("sessions");
    for (BgpSession session : sessions) {
      ObjectNode item = items.addObject();
      item.put("name", session.name());
      item.put("address", session.address());
      item.put("type", session.type().toString());
      item.put("state", session.state());
      item.put("since", session.since());
      item.put("info", session.info());
      item.put("imported", session.imported());
      item.put("exported", session.exported());
      session.hint().ifPresent(hint -> item.put("hint", hint));
    }
    return json;
  }
}
