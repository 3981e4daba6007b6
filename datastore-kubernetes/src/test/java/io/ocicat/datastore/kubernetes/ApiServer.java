package io.ocicat.datastore.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A small API server: every verb, conflicts, pages, watches with bookmarks, tokens, permissions,
 * and failures on demand. It knows pods, namespaces, nodes, service accounts, config maps, secrets,
 * network policies, endpoint slices, and every CustomResourceDefinition that was created. Its
 * objects survive a restart.
 */
final class ApiServer implements AutoCloseable {
  static {
    // Otherwise every small answer waits for an acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private static final Set<String> CORE =
      Set.of("pods", "namespaces", "nodes", "serviceaccounts", "configmaps", "secrets");
  private static final Set<String> GROUPED =
      Set.of("networkpolicies.networking.k8s.io", "endpointslices.discovery.k8s.io");
  private static final String DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
  private static final Duration BOOKMARKS = Duration.ofMillis(50);

  /** A fault of a request. */
  enum Fault {
    /** The connection ends before anything is done. */
    DROPPED,
    /** It is applied, and the connection ends before the response. */
    DONE_AND_DROPPED,
    /** 429, with Retry-After, as the real one does. */
    TOO_MANY,
    /** 500. */
    INTERNAL,
    /** 503. */
    OVERLOADED
  }

  /** A received request. */
  record Seen(String verb, Target target, @Nullable String token, ObjectNode body) {
    @Override
    public String toString() {
      return verb + " " + target.collection() + " " + target.key();
    }
  }

  private final ObjectStore store = new ObjectStore();
  private final ObjectVerbs verbs = new ObjectVerbs(store);
  private final @Nullable SSLContext tls;
  private final Set<String> tokens = ConcurrentHashMap.newKeySet();
  private final Set<String> denied = ConcurrentHashMap.newKeySet();
  private final Map<String, Set<String>> roles = new ConcurrentHashMap<>();
  private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final AtomicInteger drops = new AtomicInteger();
  private volatile boolean cutWatches;
  private volatile boolean goneAsEvent;
  private volatile Consumer<String> before = _ -> {};
  private ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer server;

  ApiServer() {
    this(null);
  }

  ApiServer(@Nullable SSLContext tls) {
    this.tls = tls;
    this.server = start(0);
  }

  private HttpServer start(int port) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try {
      HttpServer started = tls == null ? HttpServer.create(address, 0) : secured(address, tls);
      started.setExecutor(threads);
      started.createContext("/", this::serve);
      started.start();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpServer secured(InetSocketAddress address, SSLContext tls) throws IOException {
    HttpsServer secured = HttpsServer.create(address, 0);
    secured.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = tls.getDefaultSSLParameters();
            wanted.setWantClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    return secured;
  }

  String url() {
    return "%s://127.0.0.1:%d"
        .formatted(tls == null ? "http" : "https", server.getAddress().getPort());
  }

  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  void restart() {
    int port = server.getAddress().getPort();
    stop();
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server = start(port);
  }

  ObjectStore store() {
    return store;
  }

  /** Requires one of these tokens from now on. */
  void accept(String... accepted) {
    tokens.clear();
    tokens.addAll(List.of(accepted));
  }

  /** Limits this token to these permissions, each as in {@code patch pods/status}. */
  void grant(String token, Set<String> permissions) {
    tokens.add(token);
    roles.put(token, permissions);
  }

  /** Invalidates a token. */
  void revoke(String token) {
    tokens.remove(token);
  }

  /** Denies a permission, as in {@code deny("get", "ippools.crd.projectcalico.org")}. */
  void deny(String verb, String resource) {
    denied.add(verb + " " + resource);
  }

  void allow(String verb, String resource) {
    denied.remove(verb + " " + resource);
  }

  /** Whether all planned faults have occurred. */
  boolean hasFailed(String verb) {
    return faults.getOrDefault(verb, new ConcurrentLinkedQueue<>()).isEmpty();
  }

  /** Makes the next requests of that verb fail. */
  void fail(String verb, Fault... next) {
    faults.computeIfAbsent(verb, _ -> new ConcurrentLinkedQueue<>()).addAll(List.of(next));
  }

  List<Seen> seen() {
    return seen;
  }

  /** Runs an action before each request except watches is answered. */
  void before(Consumer<String> action) {
    before = action;
  }

  void forgetSeen() {
    seen.clear();
  }

  /** Ends all watches, in the middle of a response or cleanly. */
  void dropWatches() {
    drops.incrementAndGet();
  }

  /** Ends each watch in the middle of its next event. */
  void cutWatches(boolean cut) {
    cutWatches = cut;
  }

  /** Reports compacted history within a stream, as some servers do. */
  void tellGoneInStream() {
    goneAsEvent = true;
  }

  ObjectNode put(String collection, String key, ObjectNode object) {
    synchronized (store) {
      return store.get(collection, key).isPresent()
          ? store.replace(collection, key, object)
          : store.add(collection, key, object);
    }
  }

  void define(List<ObjectNode> definitions) {
    definitions.forEach(definition -> put(DEFINITIONS, JsonTrees.name(definition), definition));
  }

  void undefine(List<ObjectNode> definitions) {
    definitions.forEach(definition -> store.remove(DEFINITIONS, JsonTrees.name(definition)));
  }

  void createNamespace(String name) {
    ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
    namespace.putObject("metadata").put("name", name);
    put("namespaces", name, namespace);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Target target = Target.of(exchange.getRequestURI());
      String verb = target.verb(exchange.getRequestMethod());
      String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      ObjectNode body = text.isEmpty() ? Json.object() : StoredJson.parseObject(text);
      String token = exchange.getRequestHeaders().getFirst("Authorization");
      Seen request = new Seen(verb, target, token, body);
      seen.add(request);
      if (!target.isWatch()) {
        before.accept(request.toString());
      }
      Queue<Fault> planned = faults.getOrDefault(verb, new ConcurrentLinkedQueue<>());
      Optional<Reply> early = wrong(target, verb, token);
      switch (early.isPresent() ? null : planned.poll()) {
        case null -> {
          if (early.isPresent()) {
            send(exchange, early.get());
          } else if (target.isWatch()) {
            watch(exchange, target);
          } else {
            send(exchange, answer(exchange.getRequestMethod(), target, body));
          }
        }
        case DROPPED -> {}
        case DONE_AND_DROPPED -> answer(exchange.getRequestMethod(), target, body);
        case TOO_MANY -> {
          exchange.getResponseHeaders().set("Retry-After", "1");
          send(exchange, Reply.status(429, "TooManyRequests", "slow down"));
        }
        case INTERNAL -> send(exchange, Reply.status(500, "InternalError", "etcd timed out"));
        case OVERLOADED -> send(exchange, Reply.status(503, "ServiceUnavailable", "not now"));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<Reply> wrong(Target target, String verb, @Nullable String authorization) {
    String token = authorization == null ? "" : authorization.replace("Bearer ", "");
    if (!tokens.isEmpty() && !tokens.contains(token)) {
      return Optional.of(Reply.status(401, "Unauthorized", "Unauthorized"));
    }
    String permission =
        target.resource()
            + (target.sub().isEmpty() ? "" : "/" + target.sub())
            + (target.group().isEmpty() ? "" : "." + target.group());
    Set<String> granted = roles.get(token);
    boolean beyond =
        granted != null
            && !target.resource().isEmpty()
            && !granted.contains(verb + " " + permission);
    if (beyond || denied.contains(verb + " " + permission)) {
      return Optional.of(
          Reply.status(
                  403,
                  "Forbidden",
                  "%s \"%s\" is forbidden: User \"system:serviceaccount:kube-system:calico\" cannot %s resource \"%s\""
                      .formatted(target.collection(), target.name(), verb, permission))
              .about(target.resource(), target.name()));
    }
    return target.resource().isEmpty() || isKnown(target)
        ? Optional.empty()
        : Optional.of(Reply.unknown());
  }

  private boolean isKnown(Target target) {
    return target.group().isEmpty()
        ? CORE.contains(target.resource())
        : target.collection().equals(DEFINITIONS)
            || GROUPED.contains(target.collection())
            || store.get(DEFINITIONS, target.collection()).isPresent();
  }

  private Reply answer(String method, Target target, ObjectNode body) {
    if (target.resource().isEmpty()) {
      return groups();
    }
    Optional<ObjectNode> definition = store.get(DEFINITIONS, target.collection());
    if (definition.isPresent() && (method.equals("POST") || method.equals("PUT"))) {
      SchemaDefaults.apply(definition.get(), body);
      List<String> problems = SchemaCheck.run(definition.get(), body);
      if (!problems.isEmpty()) {
        return Reply.status(422, "Invalid", String.join("; ", problems));
      }
    }
    if (target.collection().equals(DEFINITIONS) && method.equals("POST")) {
      body.withObject("/status")
          .withArray("/conditions")
          .addObject()
          .put("type", "Established")
          .put("status", "True");
    }
    return verbs.perform(method, target, body);
  }

  private Reply groups() {
    ObjectNode list = Json.object().put("kind", "APIGroupList");
    ArrayNode groups = list.putArray("groups");
    store.at(DEFINITIONS, Long.MAX_VALUE).values().stream()
        .map(definition -> definition.at("/spec/group").asString(""))
        .distinct()
        .forEach(group -> groups.addObject().put("name", group));
    return Reply.ok(list);
  }

  private static void send(HttpExchange exchange, Reply reply) throws IOException {
    byte[] bytes = StoredJson.compact(reply.body()).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(reply.code(), bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void watch(HttpExchange exchange, Target target)
      throws IOException, InterruptedException {
    long position = Long.parseLong(target.option("resourceVersion"));
    boolean gone = position > 0 && store.isForgotten(position);
    if (gone && !goneAsEvent) {
      send(exchange, Reply.gone());
      return;
    }
    int since = drops.get();
    // With a length that is never reached every end is a broken connection.
    exchange.sendResponseHeaders(200, since % 2 == 0 ? Long.MAX_VALUE : 0);
    OutputStream out = exchange.getResponseBody();
    if (gone) {
      write(out, "ERROR", Reply.gone().body());
      return;
    }
    while (drops.get() == since && !Thread.currentThread().isInterrupted()) {
      long now = store.revision();
      Optional<ObjectStore.Change> change =
          store.next(position, candidate -> isWanted(target, candidate), BOOKMARKS);
      if (change.isPresent()) {
        if (cutWatches) {
          out.write("{\"type\":\"ADDED\",\"obj".getBytes(StandardCharsets.UTF_8));
          out.flush();
          return;
        }
        position = change.get().revision();
        write(out, change.get().type(), change.get().object());
      } else {
        // Changes after this reading of the clock may still be on their way.
        position = Math.max(position, now);
        ObjectNode bookmark = Json.object();
        bookmark.putObject("metadata").put("resourceVersion", String.valueOf(position));
        write(out, "BOOKMARK", bookmark);
      }
    }
  }

  private static boolean isWanted(Target target, ObjectStore.Change change) {
    return change.collection().equals(target.collection())
        && ObjectVerbs.isWanted(target, change.key(), change.object());
  }

  private static void write(OutputStream out, String type, ObjectNode object) throws IOException {
    ObjectNode event = Json.object().put("type", type);
    event.set("object", object);
    out.write((StoredJson.compact(event) + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() {
    stop();
  }
}
