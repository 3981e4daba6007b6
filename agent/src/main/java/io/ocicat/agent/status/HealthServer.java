package io.ocicat.agent.status;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.ocicat.agent.bird.BgpStatus;
import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code /liveness} and {@code /readiness} as Felix does (200, or 503 with the reasons),
 * and {@code /metrics} for Prometheus, each at the port that the configuration names while it is
 * on.
 */
public final class HealthServer implements AutoCloseable {
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
  private static final int NOT_FOUND = 404;
  private static final int BACKLOG = 16;

  private final Supplier<AgentStatus> status;
  private final RepairLog log;
  private @Nullable Listener health;
  private @Nullable Listener metrics;

  /** A server, and where it was told to be. */
  private record Listener(String place, @Nullable HttpServer server) {}

  private record Answer(int code, String text) {}

  public HealthServer(Supplier<AgentStatus> status, RepairLog log) {
    this.status = status;
    this.log = log;
  }

  /** Starts, moves or stops the servers. */
  public synchronized void configure(AgentConfig config) {
    health =
        move(
            health,
            config.healthEnabled(),
            config.healthHost(),
            config.healthPort(),
            this::healthAnswer);
    metrics =
        move(
            metrics,
            config.prometheusMetricsEnabled(),
            config.prometheusMetricsHost(),
            config.prometheusMetricsPort(),
            path ->
                path.equals("/metrics")
                    ? new Answer(OK, exposition(status.get()))
                    : new Answer(NOT_FOUND, "only /metrics is served here\n"));
  }

  private @Nullable Listener move(
      @Nullable Listener before,
      boolean on,
      String host,
      int port,
      Function<String, Answer> answers) {
    String place = on ? host + " port " + port : "";
    if (before != null && before.place().equals(place)) {
      return before;
    }
    stop(before);
    if (!on) {
      return null;
    }
    try {
      HttpServer server = HttpServer.create(new InetSocketAddress(address(host), port), BACKLOG);
      server.createContext("/", exchange -> reply(exchange, answers));
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return new Listener(place, server);
    } catch (IOException | IllegalArgumentException e) {
      log.write("cannot listen at %s: %s".formatted(place, e.getMessage()));
      return new Listener(place, null);
    }
  }

  /** {@code localhost} is what it should be, whatever /etc/hosts says. */
  private static InetAddress address(String host) throws IOException {
    return switch (host) {
      case "localhost" -> InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      case "" -> InetAddress.getByAddress(new byte[4]);
      default -> InetAddress.getByAddress(IpAddress.parse(host).toByteArray());
    };
  }

  private Answer healthAnswer(String path) {
    AgentStatus now = status.get();
    return switch (path) {
      case "/liveness" -> new Answer(OK, "alive\n");
      case "/readiness" -> new Answer(now.isReady() ? OK : UNAVAILABLE, readiness(now));
      default -> new Answer(NOT_FOUND, "only /liveness and /readiness are served here\n");
    };
  }

  private static String readiness(AgentStatus status) {
    StringBuilder text = new StringBuilder(status.isReady() ? "ready\n" : "not ready\n");
    if (!status.unreachable().isEmpty()) {
      text.append("datastore: ").append(status.unreachable()).append('\n');
    }
    status.blockers().stream()
        .filter(blocker -> !status.problems().contains(blocker))
        .forEach(blocker -> text.append(blocker).append('\n'));
    status.problems().forEach(problem -> text.append(problem).append('\n'));
    return text.toString();
  }

  private static String exposition(AgentStatus status) {
    return """
    # HELP ocicat_agent_ready Whether the agent is in sync.
    # TYPE ocicat_agent_ready gauge
    ocicat_agent_ready %d
    # HELP ocicat_agent_problems What is not as it should be.
    # TYPE ocicat_agent_problems gauge
    ocicat_agent_problems %d
    # HELP ocicat_agent_nodes Nodes of the cluster.
    # TYPE ocicat_agent_nodes gauge
    ocicat_agent_nodes %d
    # HELP ocicat_agent_blocks Blocks of addresses in the cluster.
    # TYPE ocicat_agent_blocks gauge
    ocicat_agent_blocks %d
    # HELP ocicat_agent_endpoints Workload endpoints of this node.
    # TYPE ocicat_agent_endpoints gauge
    ocicat_agent_endpoints %d
    # HELP ocicat_agent_ready_endpoints Endpoints for which everything is in force.
    # TYPE ocicat_agent_ready_endpoints gauge
    ocicat_agent_ready_endpoints %d
    # HELP ocicat_agent_routes Routes that the node should have.
    # TYPE ocicat_agent_routes gauge
    ocicat_agent_routes %d
    # HELP ocicat_agent_kernel_writes_total Changes sent to the kernel.
    # TYPE ocicat_agent_kernel_writes_total counter
    ocicat_agent_kernel_writes_total %d
    """
            .formatted(
                status.isReady() ? 1 : 0,
                status.problems().size(),
                status.nodes(),
                status.blocks(),
                status.endpoints(),
                status.readyEndpoints(),
                status.routes(),
                status.writes())
        + ofBgp(status.bgp());
  }

  private static String ofBgp(@Nullable BgpStatus bgp) {
    return bgp == null
        ? ""
        : """
        # HELP ocicat_agent_bgp_running Whether BIRD answers.
        # TYPE ocicat_agent_bgp_running gauge
        ocicat_agent_bgp_running %d
        # HELP ocicat_agent_bgp_sessions BGP sessions with nodes and configured peers.
        # TYPE ocicat_agent_bgp_sessions gauge
        ocicat_agent_bgp_sessions %d
        # HELP ocicat_agent_bgp_established_sessions Those that are established.
        # TYPE ocicat_agent_bgp_established_sessions gauge
        ocicat_agent_bgp_established_sessions %d
        # HELP ocicat_agent_bgp_reloads_total Configurations that BIRD was given.
        # TYPE ocicat_agent_bgp_reloads_total counter
        ocicat_agent_bgp_reloads_total %d
        """
            .formatted(
                bgp.isRunning() ? 1 : 0, bgp.peerings().size(), bgp.established(), bgp.reloads());
  }

  private static void reply(HttpExchange exchange, Function<String, Answer> answers)
      throws IOException {
    try (exchange) {
      Answer answer = answers.apply(exchange.getRequestURI().getPath());
      byte[] body = answer.text().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      exchange.sendResponseHeaders(answer.code(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static void stop(@Nullable Listener listener) {
    if (listener != null && listener.server() != null) {
      listener.server().stop(0);
    }
  }

  @Override
  public synchronized void close() {
    stop(health);
    stop(metrics);
    health = null;
    metrics = null;
  }
}
