package io.ocicat.cli.demo;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cni.CniJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs the demo on its node, chapter by chapter. Records each fact it claims. */
final class DemoScript {
  private static final String PAGE = "Hello from a pod on Ocicat.";
  private static final String NODE_ADDRESS = "192.0.2.10";
  private static final int PORT = 8080;
  private static final String LIMIT = "kubernetes.io/egress-bandwidth=50M";

  private final DemoNode demoNode;
  private final DemoNetwork chain;
  private final DemoNarrator narrator;
  private final AddDrawing drawing;
  private final ObjectNode facts;
  private final List<DemoPod> pods = new ArrayList<>();
  private List<String> allocation = List.of();
  private boolean limits = true;

  DemoScript(
      DemoNode demoNode,
      DemoNetwork chain,
      DemoNarrator narrator,
      AddDrawing drawing,
      ObjectNode facts) {
    this.demoNode = demoNode;
    this.chain = chain;
    this.narrator = narrator;
    this.drawing = drawing;
    this.facts = facts;
  }

  void startDaemon() {
    narrator.chapter(2, "The daemon");
    narrator.command("ocicat daemon");
    long begin = System.nanoTime();
    demoNode.run("sh", "-c", START_DAEMON, "sh", DemoNode.FOLDER);
    narrator.paragraph(
        "A container runtime executes the plugins in /opt/cni/bin. Ocicat's are small: they"
            + " pass the call on to this daemon, which was up in %s."
                .formatted(DemoNarrator.seconds(System.nanoTime() - begin)));
  }

  /** In the background, with its output in a file; returns when it listens. */
  private static final String START_DAEMON =
      """
      setsid ocicat daemon </dev/null >"$1/daemon.log" 2>&1 &
      echo $! >"$1/daemon.pid"
      for _ in $(seq 400); do
        [ -S "$OCICAT_RUN_DIR/ocicatd.sock" ] && exit 0
        kill -0 $! 2>/dev/null || break
        sleep 0.05
      done
      cat "$1/daemon.log" >&2
      exit 1
      """;

  void configure() {
    narrator.chapter(3, "A network and its addresses");
    Path folder = Path.of(DemoNode.FOLDER);
    demoNode.write(folder.resolve("net.d/10-demo.conflist"), chain.conflist());
    narrator.paragraph(
        "The network is a file, %s/net.d/10-demo.conflist, with the plugins %s."
            .formatted(folder, chain.names()));
    switch (chain) {
      case CALICO -> {
        // As calico/node does; without it nothing would set routes.
        demoNode.run("mkdir", "-p", "/var/lib/calico");
        demoNode.write(Path.of("/var/lib/calico/nodename"), "node-1");
        demoNode.write(folder.resolve("pool.yaml"), DemoNetwork.RESOURCES);
        narrator.command("ocicat apply -f %s/pool.yaml".formatted(folder));
        demoNode.ocicat("apply", "-f", folder.resolve("pool.yaml").toString());
      }
      case FLANNEL -> {
        demoNode.run("mkdir", "-p", "/run/flannel");
        demoNode.write(Path.of("/run/flannel/subnet.env"), DemoNetwork.SUBNET);
      }
    }
    narrator.paragraph(chain.addresses());
    facts.put("chain", chain.names());
    JsonNode first = CniJson.parse(demoNode.ocicat("demo", "--look", "--probe"));
    refuseKernel(first.path("missing"));
    demoNode.write(folder.resolve("before.json"), Json.compact(first));
  }

  private void refuseKernel(JsonNode missing) {
    for (JsonNode feature : missing) {
      String name = feature.path("name").asString();
      if (name.equals("ifb")) {
        limits = false;
      } else if (feature.path("needed").asBoolean()
          && !(name.equals("bridge") && chain == DemoNetwork.CALICO)) {
        throw new MachineException(
            "this kernel cannot do %s (%s), which the demo needs: load its module, or take a kernel with %s"
                .formatted(
                    name, feature.path("reason").asString(), feature.path("option").asString()));
      }
    }
  }

  void runPods() {
    narrator.chapter(4, "Three pods");
    narrator.paragraph(
        "For each pod, do what kubelet has its runtime do in createPodSandbox: create a network"
            + " namespace, read the network's file, and call ADD of each plugin in turn. The"
            + " plugins allocate an address, create a veth pair, set routes, publish ports and"
            + " limit bandwidth.");
    demoNode.write(Path.of(DemoNode.FOLDER, "page/index.html"), PAGE + "\n");
    run("db", List.of(), List.of(), "");
    // So that what the first published port sets up for all is not counted as part of web's.
    run("api", List.of("-p", "8081:80"), List.of(), "");
    // Last, and with something to do for every plugin: the steps of this one are shown.
    List<String> options = new ArrayList<>(List.of("-p", PORT + ":80"));
    if (limits) {
      options.addAll(List.of("--annotation", LIMIT));
    }
    run(
        "web",
        options,
        List.of(
            InstalledPrograms.java(),
            // The server resolves the node's own name, and not every machine has an /etc/hosts.
            "-Djdk.net.hosts.file=" + DemoNode.FOLDER + "/hosts",
            "-m",
            "jdk.httpserver",
            "-b",
            "0.0.0.0",
            "-p",
            "80",
            "-d",
            DemoNode.FOLDER + "/page"),
        " -- java -m jdk.httpserver -p 80 …");
    if (!limits) {
      narrator.paragraph("(without a bandwidth limit: this kernel has no ifb links)");
    }
    ArrayNode list = facts.putArray("pods");
    for (DemoPod pod : pods) {
      list.addObject()
          .put("name", pod.name())
          .put("id", pod.id())
          .put("address", pod.address())
          .put("netns", pod.netns())
          .put("micros", pod.nanos() / 1000);
    }
    showPicture();
  }

  private void showPicture() {
    DemoPod pod = pods.getLast();
    JsonNode kernel = CniJson.parse(demoNode.ocicat("demo", "--kernel", pod.netns()));
    List<String> more = new ArrayList<>();
    more.add("port %d goes to %s:80 (portmap)".formatted(PORT, pod.address()));
    narrator.paragraph("The kernel now has, for web:");
    PodDiagram.of(
            pod.name(),
            kernel.path("pod").path("links"),
            kernel.path("pod").path("routes"),
            kernel.path("node").path("links"),
            kernel.path("node").path("routes"),
            pods.stream().collect(Collectors.toMap(DemoPod::address, DemoPod::name)),
            more)
        .lines("a machine outside the node, 192.0.2.20")
        .forEach(narrator::show);
  }

  private void run(String name, List<String> options, List<String> program, String shown) {
    List<String> command = new ArrayList<>(List.of("pod", "run", name, "--infra", "none"));
    command.addAll(options);
    narrator.command("ocicat " + String.join(" ", command) + shown);
    command.addAll(List.of("--json", "--trace"));
    if (!program.isEmpty()) {
      command.add("--");
      command.addAll(program);
    }
    DemoPod pod =
        DemoPod.read(name, CniJson.parse(demoNode.ocicat(command.toArray(String[]::new))));
    pods.add(pod);
    narrator.fine(
        "%-4s %-14s in %s".formatted(name, pod.address(), DemoNarrator.millis(pod.nanos())));
  }

  void ping() {
    narrator.chapter(5, "Do they reach each other?");
    ArrayNode list = facts.putArray("pings");
    for (int i = 0; i < pods.size(); i++) {
      DemoPod from = pods.get(i);
      DemoPod to = pods.get((i + 1) % pods.size());
      String command = "pod exec %s -- ocicat demo --ping %s".formatted(from.name(), to.address());
      narrator.command("ocicat " + command);
      String millis = demoNode.ocicat(command.split(" ", -1)).strip();
      narrator.fine("%s → %s: answered after %s ms".formatted(from.name(), to.name(), millis));
      list.addObject()
          .put("from", from.name())
          .put("to", to.name())
          .put("address", to.address())
          .put("millis", millis);
    }
  }

  void fetch() {
    narrator.chapter(6, "A page through a published port");
    narrator.paragraph(
        "From a machine outside the node, 192.0.2.20: portmap forwards the node's port %d to port 80"
                .formatted(PORT)
            + " of web. It is a port of the demo's node, so nothing on this machine is in the"
            + " way.");
    narrator.command("curl http://%s:%d/".formatted(NODE_ADDRESS, PORT));
    String answer =
        demoNode.run(
            "nsenter",
            "--net=/run/netns/outside",
            "bash",
            "-c",
            FETCH,
            "bash",
            NODE_ADDRESS,
            Integer.toString(PORT));
    String body = answer.substring(Math.max(0, answer.indexOf("\r\n\r\n") + 4)).strip();
    if (!body.equals(PAGE)) {
      throw new MachineException("the page is not what the pod has: " + body);
    }
    narrator.fine(body);
    facts
        .putObject("page")
        .put("url", "http://%s:%d/".formatted(NODE_ADDRESS, PORT))
        .put("body", body);
  }

  /** Bash speaks TCP; the server may still be starting. */
  private static final String FETCH =
      """
      for _ in $(seq 200); do
        if exec 3<>"/dev/tcp/$1/$2"; then
          printf 'GET / HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n' "$1" >&3
          cat <&3
          exit 0
        fi 2>/dev/null
        sleep 0.1
      done
      echo "nobody answers at $1:$2" >&2
      exit 1
      """;

  void showLeases() {
    narrator.chapter(7, "Who has which address");
    NodeSnapshot now = NodeSnapshot.read(CniJson.parse(demoNode.ocicat("demo", "--look")));
    ArrayNode list = facts.putArray("leases");
    for (AddressHolder lease : now.leases()) {
      String owner = nameOf(lease.owner());
      narrator.show("%-12s %-14s from %s".formatted(owner, lease.address(), lease.from()));
      list.addObject()
          .put("address", lease.address())
          .put("owner", owner)
          .put("from", lease.from());
      if (lease.address().equals(pods.getLast().address())) {
        allocation = lease.allocation();
      }
    }
    narrator.paragraph(
        switch (chain) {
          case CALICO ->
              "The block belongs to node-1. Each address has a handle, by which DEL finds it"
                  + " again.";
          case FLANNEL ->
              "Each lease is a file that holds the container's id, as the Go plugin writes it.";
        });
  }

  private String nameOf(String owner) {
    return pods.stream()
        .filter(pod -> pod.id().equals(owner))
        .map(pod -> "default/" + pod.name())
        .findFirst()
        .orElse(owner);
  }

  void showSteps() {
    narrator.chapter(8, "One pod's network, step by step");
    narrator.paragraph(
        "From createPodSandbox of web to its end, each step with its time in microseconds:");
    // The last one: the first pays for code that runs for the first time.
    JsonNode steps = pods.getLast().trace();
    drawing.print(steps, allocation);
    facts.set("steps", steps);
    facts.set("allocation", Json.array(allocation));
  }
}
