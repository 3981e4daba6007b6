package io.ocicat.cli.demo;

import io.ocicat.cni.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The demo itself, chapter by chapter, on a stage that is there. Notes each fact it claims. */
final class Play {
  private static final String PAGE = "Hello from a pod on Ocicat.";
  private static final String NODE_ADDRESS = "192.0.2.10";
  private static final int PORT = 8080;
  private static final Pattern PING_TIME = Pattern.compile("time[=<]([0-9.]+) ms");
  private static final String LIMIT = "kubernetes.io/egress-bandwidth=50M";

  private final Stage stage;
  private final Chain chain;
  private final Tale tale;
  private final AddDrawing drawing;
  private final ObjectNode facts;
  private final List<RunPod> pods = new ArrayList<>();
  private boolean limits = true;

  Play(Stage stage, Chain chain, Tale tale, AddDrawing drawing, ObjectNode facts) {
    this.stage = stage;
    this.chain = chain;
    this.tale = tale;
    this.drawing = drawing;
    this.facts = facts;
  }

  void startDaemon() {
    tale.chapter(2, "The daemon");
    tale.command("ocicat daemon");
    long begin = System.nanoTime();
    stage.run("sh", "-c", START_DAEMON, "sh", Stage.FOLDER);
    tale.say("A runtime executes plugins from /opt/cni/bin. Ours are 34 kB each and only pass the");
    tale.say(
        "call on to this warm process (up in %s)."
            .formatted(Tale.seconds(System.nanoTime() - begin)));
  }

  /** In the background, its words in a file; back when it listens. */
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
    tale.chapter(3, "A network and its addresses");
    Path folder = Path.of(Stage.FOLDER);
    stage.write(folder.resolve("net.d/10-demo.conflist"), chain.conflist());
    tale.say("The network is a file, %s/net.d/10-demo.conflist:".formatted(folder));
    tale.say("  " + chain.names());
    switch (chain) {
      case CALICO -> {
        // As calico/node does, without which there would be nobody to set routes.
        stage.run("mkdir", "-p", "/var/lib/calico");
        stage.write(Path.of("/var/lib/calico/nodename"), "node-1");
        stage.write(folder.resolve("pool.yaml"), Chain.RESOURCES);
        tale.command("ocicat apply -f %s/pool.yaml".formatted(folder));
        stage.ocicat("apply", "-f", folder.resolve("pool.yaml").toString());
      }
      case FLANNEL -> {
        stage.run("mkdir", "-p", "/run/flannel");
        stage.write(Path.of("/run/flannel/subnet.env"), Chain.SUBNET);
      }
    }
    chain.addresses().forEach(tale::say);
    facts.put("chain", chain.names());
    JsonNode first = Json.parse(stage.ocicat("demo", "--look", "--probe"));
    refuseKernel(first.path("missing"));
    stage.write(folder.resolve("before.json"), Json.compact(first));
  }

  private void refuseKernel(JsonNode missing) {
    for (JsonNode feature : missing) {
      String name = feature.path("name").asString();
      if (name.equals("ifb")) {
        limits = false;
      } else if (feature.path("needed").asBoolean()
          && !(name.equals("bridge") && chain == Chain.CALICO)) {
        throw new DemoException(
            "this kernel cannot do %s (%s), which the demo needs: load its module, or take a kernel with %s"
                .formatted(
                    name, feature.path("reason").asString(), feature.path("option").asString()));
      }
    }
  }

  void runPods() {
    tale.chapter(4, "Three pods");
    tale.say(
        "What kubelet does in createPodSandbox, for each: make the pod's network namespace, call");
    tale.say("SetUpPod, which reads the network's file and calls ADD of each plugin in turn. The");
    tale.say("plugins find an address, lay a cable into the pod, set routes, publish ports.");
    stage.write(Path.of(Stage.FOLDER, "page/index.html"), PAGE + "\n");
    run(
        "web",
        List.of("-p", PORT + ":80"),
        List.of(
            Installed.java(),
            "-m",
            "jdk.httpserver",
            "-b",
            "0.0.0.0",
            "-p",
            "80",
            "-d",
            Stage.FOLDER + "/page"),
        " -- java -m jdk.httpserver -p 80 …");
    run("api", limits ? List.of("--annotation", LIMIT) : List.of(), List.of(), "");
    run("db", List.of(), List.of(), "");
    if (!limits) {
      tale.say("(no limit of bandwidth is shown: this kernel has no ifb links)");
    }
    ArrayNode list = facts.putArray("pods");
    for (RunPod pod : pods) {
      list.addObject()
          .put("name", pod.name())
          .put("id", pod.id())
          .put("address", pod.address())
          .put("netns", pod.netns())
          .put("micros", pod.nanos() / 1000);
    }
  }

  private void run(String name, List<String> options, List<String> program, String shown) {
    List<String> command = new ArrayList<>(List.of("pod", "run", name, "--infra", "none"));
    command.addAll(options);
    tale.command("ocicat " + String.join(" ", command) + shown);
    command.addAll(List.of("--json", "--trace"));
    if (!program.isEmpty()) {
      command.add("--");
      command.addAll(program);
    }
    RunPod pod = RunPod.read(name, Json.parse(stage.ocicat(command.toArray(String[]::new))));
    pods.add(pod);
    tale.fine("%-4s %-14s in %s".formatted(name, pod.address(), Tale.millis(pod.nanos())));
  }

  void ping() {
    tale.chapter(5, "Do they reach each other?");
    ArrayNode list = facts.putArray("pings");
    for (int i = 0; i < pods.size(); i++) {
      RunPod from = pods.get(i);
      RunPod to = pods.get((i + 1) % pods.size());
      tale.command("ocicat pod exec %s -- ping -c1 %s".formatted(from.name(), to.address()));
      String said =
          stage.ocicat("pod", "exec", from.name(), "--", "ping", "-c1", "-W5", to.address());
      Matcher time = PING_TIME.matcher(said);
      String millis = time.find() ? time.group(1) : "?";
      tale.fine("%s → %s: answered after %s ms".formatted(from.name(), to.name(), millis));
      list.addObject()
          .put("from", from.name())
          .put("to", to.name())
          .put("address", to.address())
          .put("millis", millis);
    }
  }

  void fetch() {
    tale.chapter(6, "A page through a published port");
    tale.say(
        "From a machine outside the node (192.0.2.20): portmap leads port %d of the node to the"
            .formatted(PORT));
    tale.say("pod's port 80. The port is the demo's own node's: nothing else can have taken it.");
    tale.command("curl http://%s:%d/".formatted(NODE_ADDRESS, PORT));
    String answer =
        stage.run(
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
      throw new DemoException("the page is not what the pod has: " + body);
    }
    tale.fine(body);
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
    tale.chapter(7, "Who has which address");
    Look now = Look.read(Json.parse(stage.ocicat("demo", "--look")));
    ArrayNode list = facts.putArray("leases");
    for (Lease lease : now.leases()) {
      String owner = nameOf(lease.owner());
      tale.say("%-12s %-14s from %s".formatted(owner, lease.address(), lease.from()));
      list.addObject()
          .put("address", lease.address())
          .put("owner", owner)
          .put("from", lease.from());
    }
    tale.say(
        switch (chain) {
          case CALICO ->
              "The block belongs to node-1. Each address has a handle, by which it is found again.";
          case FLANNEL ->
              "Each lease is a file with the container's id in it, as the Go plugin writes them.";
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
    tale.chapter(8, "One pod's way, step by step");
    // The last one: the first pays for code that runs for the first time.
    JsonNode steps = pods.getLast().trace();
    drawing.print(steps);
    facts.set("steps", steps);
  }

  /** Takes the pods down; what is left of them is told and counted. */
  static List<String> end(Stage stage, int chapter, Tale tale, ObjectNode facts) {
    tale.chapter(chapter, "Down again");
    Look before = Look.read(Json.parse(stage.run("cat", Stage.FOLDER + "/before.json")));
    tale.command("ocicat pod rm --all");
    stage.ocicat("pod", "rm", "--all");
    Look after = Look.read(Json.parse(stage.ocicat("demo", "--look")));
    List<String> left = after.newSince(before);
    for (String where :
        List.of("links", "addresses and routes", "nf_tables", "leases", "records", "files")) {
      tale.say(
          "%-22s before: %d, now: %d".formatted(where, before.count(where), after.count(where)));
    }
    left.forEach(line -> tale.say(tale.paint("31", "left: ") + line));
    if (left.isEmpty()) {
      tale.fine("nothing is left of the pods");
      if (after.count(Look.KEPT) > 0) {
        tale.dim(
            "(for the next pod stay the plugins' empty tables, the bridge if there is one, the node's block)");
      }
    }
    facts.set("left", Json.array(left));
    stage.run("sh", "-c", STOP_DAEMON, "sh", Stage.FOLDER);
    return left;
  }

  private static final String STOP_DAEMON =
      """
      pid=$(cat "$1/daemon.pid")
      kill "$pid" 2>/dev/null
      for _ in $(seq 400); do
        kill -0 "$pid" 2>/dev/null || exit 0
        sleep 0.05
      done
      echo "the daemon (process $pid) does not end" >&2
      exit 1
      """;
}
