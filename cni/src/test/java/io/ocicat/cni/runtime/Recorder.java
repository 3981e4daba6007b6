package io.ocicat.cni.runtime;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Simulates all plugins and records their calls. By default a plugin returns the previous result,
 * or one address when there is none, and supports every version.
 */
final class Recorder implements PluginExec {
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final Map<String, Function<Call, PluginReply>> behaviours = new ConcurrentHashMap<>();

  record Call(
      String plugin, Verb verb, Map<String, String> environment, JsonNode request, Duration limit) {
    String variable(String name) {
      return environment.getOrDefault(name, "(not set)");
    }

    @Override
    public String toString() {
      return verb + " " + plugin;
    }
  }

  @Override
  public PluginReply run(Invocation invocation) {
    Call call =
        new Call(
            invocation.executable().getFileName().toString(),
            Verb.valueOf(invocation.environment().getOrDefault(CniEnvironment.COMMAND, "")),
            invocation.environment(),
            CniJson.parse(invocation.stdin().bytes()),
            invocation.limit());
    calls.add(call);
    return behaviours.getOrDefault(key(call.plugin, call.verb), Recorder::usual).apply(call);
  }

  private static String key(String plugin, Verb verb) {
    return verb + " " + plugin;
  }

  private static PluginReply usual(Call call) {
    return switch (call.verb) {
      case ADD -> ok(Json.compact(result(call)));
      case DEL, CHECK, GC, STATUS -> ok("");
      case VERSION ->
          ok(
              Json.compact(
                  new VersionReply("1.1.0", SpecVersion.textsFrom(SpecVersion.V0_1_0)).toJson()));
    };
  }

  private static JsonNode result(Call call) {
    JsonNode previous = call.request.get("prevResult");
    if (previous != null) {
      return previous;
    }
    ObjectNode result = Json.object();
    JsonNode version = call.request.get("cniVersion");
    result.put("cniVersion", version.stringValue());
    if (version.stringValue().compareTo("0.3.0") < 0) {
      result.set("ip4", CniJson.parse("{\"ip\":\"10.1.2.3/24\"}"));
    } else {
      result.set("ips", CniJson.parse("[{\"address\":\"10.1.2.3/24\"}]"));
    }
    return result;
  }

  static PluginReply ok(String stdout) {
    return new PluginReply(0, stdout.getBytes(StandardCharsets.UTF_8), "");
  }

  static PluginReply error(int code, String msg) {
    String json = Json.compact(new CniException(new ErrorCode(code), msg).toJson());
    return new PluginReply(1, json.getBytes(StandardCharsets.UTF_8), "");
  }

  Recorder on(Verb verb, String plugin, Function<Call, PluginReply> behaviour) {
    behaviours.put(key(plugin, verb), behaviour);
    return this;
  }

  Recorder on(Verb verb, String plugin, PluginReply reply) {
    return on(verb, plugin, _ -> reply);
  }

  /** Clears the record. */
  Recorder clear() {
    calls.clear();
    return this;
  }

  List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Such as {@code ADD bridge}, in order. */
  List<String> order() {
    return calls.stream().map(Call::toString).toList();
  }

  Call only() {
    if (calls.size() != 1) {
      throw new AssertionError("not one call but " + order());
    }
    return calls.getFirst();
  }

  JsonNode request(int index) {
    return calls.get(index).request();
  }
}
