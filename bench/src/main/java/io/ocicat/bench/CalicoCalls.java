package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.RequestListener;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures ADD and DEL of calico as a daemon makes them: one instance of each plugin, warm,
 * addresses from calico-ipam where it exists and else from host-local. On the embedded datastore,
 * on a private etcd on loopback, and on an API server that takes 5 ms more for each request; first
 * one pod after the other, then a hundred at once.
 *
 * <p>Usage: {@code CalicoCalls [rounds]}
 */
public final class CalicoCalls {
  private static final int WARM_UP = 50;
  private static final int AT_ONCE = 100;
  private static final String NODE = "bench";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration REQUEST = Duration.ofMillis(5);
  private static final String TOKEN = "bench";

  private final Datastores datastores = new Datastores();
  private final Map<String, Plugin> plugins = new ConcurrentHashMap<>();
  private final Path bin;
  private final Path data;
  private final ObjectNode config;
  private final Map<String, String> environment;
  private final NamedNetNs namespaces = NamedNetNs.standard();
  private final String host = "ocicat-bench-" + ProcessHandle.current().pid();
  private Optional<TestCluster> cluster = Optional.empty();

  private CalicoCalls(Path data, ObjectNode datastore, Map<String, String> environment)
      throws IOException {
    this.data = data;
    this.environment = environment;
    this.bin = Files.createDirectories(data.resolve("bin"));
    for (String name : Plugins.names()) {
      Files.writeString(bin.resolve(name), "");
    }
    this.config =
        Json.object().put("cniVersion", "1.0.0").put("name", "pods").put("type", "calico");
    config.put("nodename", NODE).put("nodename_file_optional", true).put("log_level", "error");
    datastore.forEachEntry(config::set);
    config.withObject("/policy").put("type", "k8s");
    ObjectNode ipam = config.putObject("ipam");
    if (Plugins.names().contains("calico-ipam")) {
      ipam.put("type", "calico-ipam");
    } else {
      ipam.put("type", "host-local").put("dataDir", data.resolve("leases").toString());
      ipam.putArray("ranges").addArray().addObject().put("subnet", "10.65.0.0/16");
    }
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 200;
    Path data = Files.createTempDirectory("ocicat-bench-");
    new CalicoCalls(
            data.resolve("embedded"),
            Json.object().put("datastore_type", "embedded"),
            Map.of("OCICAT_STATE_DIR", data.resolve("state").toString()))
        .run("embedded", rounds, OptionalLong::empty);
    try (Etcd etcd = new Etcd(data).start()) {
      new CalicoCalls(
              data.resolve("etcd"),
              Json.object().put("datastore_type", "etcdv3").put("etcd_endpoints", etcd.url()),
              Map.of())
          .run("etcd", rounds, () -> OptionalLong.of(answered(etcd)));
    }
    try (TestCluster cluster = new TestCluster(ApiGroup.V1)) {
      cluster.populate(NODE);
      cluster.namespace("bench", Map.of());
      ObjectNode datastore = Json.object().put("datastore_type", "kubernetes").put("qps", 10_000);
      datastore.putObject("kubernetes").put("k8s_api_root", cluster.url());
      datastore.putObject("policy").put("type", "k8s").put("k8s_auth_token", TOKEN);
      CalicoCalls calls = new CalicoCalls(data.resolve("kubernetes"), datastore, Map.of());
      calls.prepare();
      calls.cluster = Optional.of(cluster);
      // What Calico's manifests let the plugin do: no watches.
      cluster.grant(TOKEN, permissions());
      cluster.before(_ -> sleep());
      calls.run("API server, 5 ms a request,", rounds, OptionalLong::empty);
    }
  }

  private static Set<String> permissions() {
    Set<String> permissions =
        new HashSet<>(Set.of("get pods", "get nodes", "get namespaces", "patch pods/status"));
    for (String resource :
        List.of(
            "blockaffinities",
            "ipamblocks",
            "ipamhandles",
            "clusterinformations",
            "ippools",
            "ipreservations",
            "ipamconfigs")) {
      for (String verb : List.of("get", "list", "create", "update", "delete")) {
        permissions.add("%s %s.crd.projectcalico.org".formatted(verb, resource));
      }
    }
    return permissions;
  }

  private static void sleep() {
    try {
      Thread.sleep(REQUEST);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many requests etcd has answered so far. */
  private static long answered(Etcd etcd) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(etcd.url() + "/metrics")).build(),
              HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith("grpc_server_handled_total") && line.contains("unary"))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Measures.
   *
   * @param asked how many requests the datastore's server has answered; empty when there is none
   */
  private void run(String engine, int rounds, Supplier<OptionalLong> asked) throws Exception {
    List<String> pods = new ArrayList<>();
    try (NetNs _ = namespaces.create(host)) {
      if (cluster.isEmpty()) {
        prepare();
      }
      for (int i = 0; i < AT_ONCE; i++) {
        pods.add(host + "-" + i);
        namespaces.create(pods.getLast()).close();
        cluster.ifPresent(it -> it.pod(manifest(pods.getLast())));
      }
      Sample add = new Sample(engine + " ADD");
      Sample del = new Sample(engine + " DEL");
      for (int i = 0; i < WARM_UP + rounds; i++) {
        long start = System.nanoTime();
        call("ADD", pods.getFirst());
        long added = System.nanoTime();
        call("DEL", pods.getFirst());
        if (i >= WARM_UP) {
          add.add(added - start);
          del.add(System.nanoTime() - added);
        }
      }
      IO.println(add.line(add));
      IO.println(del.line(del));
      for (String verb : List.of("ADD", "DEL")) {
        RequestCount count = new RequestCount();
        ScopedValue.where(RequestListener.CURRENT, count).run(() -> call(verb, pods.getFirst()));
        IO.println("%s %s: %s".formatted(engine, verb, count));
      }
      if (asked.get().isPresent()) {
        for (String verb : List.of("ADD", "DEL")) {
          long before = asked.get().getAsLong();
          call(verb, pods.getFirst());
          IO.println(
              "%s answers %d questions for one %s"
                  .formatted(engine, asked.get().getAsLong() - before, verb));
        }
      }
      for (String verb : List.of("ADD", "DEL")) {
        long start = System.nanoTime();
        atOnce(verb, pods);
        IO.println(
            "%s %d %s at once: %.0f ms"
                .formatted(engine, AT_ONCE, verb, (System.nanoTime() - start) / 1e6));
      }
    } finally {
      pods.forEach(namespaces::remove);
      namespaces.remove(host);
      datastores.close();
    }
  }

  private static ObjectNode manifest(String pod) {
    ObjectNode manifest = Json.object().put("apiVersion", "v1").put("kind", "Pod");
    manifest.putObject("metadata").put("name", pod).put("namespace", "bench");
    manifest.putObject("spec").put("nodeName", NODE);
    return manifest;
  }

  /** What calico/node would have done. */
  private void prepare() {
    Datastore datastore = datastores.of(DatastoreConfig.ofCniConfig(config, environment));
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"),
            spec -> spec.put("datastoreReady", true)));
    if (!config.path("datastore_type").asString().equals("kubernetes")) {
      datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", NODE), _ -> {}));
    }
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "pods"),
            spec -> spec.put("cidr", "10.65.0.0/16").put("natOutgoing", false)));
  }

  private void atOnce(String verb, List<String> pods) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(pods.size())) {
      List<Callable<String>> calls = new ArrayList<>();
      pods.forEach(pod -> calls.add(() -> call(verb, pod)));
      for (Future<String> answer : threads.invokeAll(calls)) {
        answer.get();
      }
    }
  }

  private String call(String verb, String pod) {
    Map<String, String> variables = new HashMap<>(environment);
    variables.put("CNI_COMMAND", verb);
    variables.put("CNI_CONTAINERID", pod);
    variables.put("CNI_IFNAME", "eth0");
    variables.put("CNI_NETNS", namespaces.pathOf(pod).toString());
    variables.put("CNI_PATH", bin.toString());
    variables.put("CNI_ARGS", "K8S_POD_NAME=%s;K8S_POD_NAMESPACE=bench".formatted(pod));
    Namespaces hostNamespaces = new Namespaces(namespaces.pathOf(host), Map.of());
    InProcessExec exec =
        new InProcessExec(
            file -> Optional.of(plugin(String.valueOf(file.getFileName()))),
            invocation -> {
              throw new IllegalStateException("not ours: " + invocation.executable());
            },
            hostNamespaces);
    PluginHost pluginHost = new PluginHost(hostNamespaces, exec, Deadline.in(LIMIT), _ -> {});
    PluginReply reply =
        Dispatcher.dispatch(
            plugin("calico"), pluginHost, variables, config.toString().getBytes(UTF_8));
    if (reply.exitCode() != 0) {
      throw new IllegalStateException(
          "%s %s in %s: %s".formatted(verb, pod, data, new String(reply.stdout(), UTF_8)));
    }
    return pod;
  }

  private Plugin plugin(String name) {
    return plugins.computeIfAbsent(name, it -> Plugins.named(it, datastores).orElseThrow());
  }
}
