package io.ocicat.agent.status;

import io.ocicat.agent.bird.BgpSession;
import io.ocicat.agent.bird.BgpStatus;
import io.ocicat.agent.config.ConfigValue;
import io.ocicat.base.file.WholeFile;
import io.ocicat.base.json.Json;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The file in which an agent says how it is, for {@code ocicat agent status}. Written as a whole,
 * and only when it differs. Whether the agent that wrote it still lives is told by its lock.
 */
public final class AgentReport {
  private final Path file;
  private byte @Nullable [] written;

  public AgentReport(Path runDirectory) {
    this.file = file(runDirectory);
  }

  public static Path file(Path runDirectory) {
    return runDirectory.resolve("agent.json");
  }

  /** Held by an agent as long as it lives. */
  public static Path lock(Path runDirectory) {
    return runDirectory.resolve("agent.lock");
  }

  /** A report that cannot be written changes nothing else. */
  public void write(AgentStatus status, List<IpPrefix> podCidrs, List<ConfigValue> values) {
    byte[] content = Json.prettyBytes(json(status, podCidrs, values));
    if (Arrays.equals(content, written)) {
      return;
    }
    try {
      WholeFile.at(file).draft(file.resolveSibling(".agent.json")).write(content);
      written = content;
    } catch (IOException _) {
      written = null;
    }
  }

  public void remove() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // The lock is released, so nobody believes it any more.
      written = null;
    }
  }

  private static ObjectNode json(
      AgentStatus status, List<IpPrefix> podCidrs, List<ConfigValue> values) {
    ObjectNode json = Json.object();
    json.put("node", status.node());
    json.put("ready", status.isReady());
    json.put("datastore", status.unreachable().isEmpty() ? "reachable" : status.unreachable());
    if (!podCidrs.isEmpty()) {
      json.set("podCIDRs", Json.array(podCidrs.stream().map(IpPrefix::toString).toList()));
    }
    json.put("nodes", status.nodes());
    json.put("pools", status.pools());
    json.put("blocks", status.blocks());
    json.put("endpoints", status.endpoints());
    json.put("readyEndpoints", status.readyEndpoints());
    json.put("routes", status.routes());
    json.put("workloadMtu", status.workloadMtu());
    json.put("kernelWrites", status.writes());
    BgpStatus bgp = status.bgp();
    if (bgp != null) {
      put(bgp, json.putObject("bgp"));
    }
    json.set("problems", Json.array(status.problems()));
    ArrayNode configuration = json.putArray("configuration");
    for (ConfigValue value : values) {
      ObjectNode item = configuration.addObject();
      item.put("name", value.name());
      item.put("value", value.value());
      item.put("source", value.source().toString());
      item.put("used", value.use() == ConfigValue.Use.USED);
      Optional<String> problem = value.problem();
      problem.ifPresent(text -> item.put("problem", text));
    }
    return json;
  }

  private static void put(BgpStatus bgp, ObjectNode json) {
    json.put("running", bgp.isRunning());
    json.put("version", bgp.version());
    json.put("ready", bgp.isReady());
    json.put("recovering", bgp.isRecovering());
    json.put("established", bgp.established());
    json.put("reloads", bgp.reloads());
    ArrayNode sessions = json.putArray("sessions");
    for (BgpSession session : bgp.peerings()) {
      ObjectNode item = sessions.addObject();
      item.put("address", session.address());
      item.put("type", session.type().toString());
      item.put("state", session.state());
      item.put("since", session.since());
      item.put("info", session.info());
    }
  }
}
