package io.ocicat.cli.pod;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.pods.SandboxStatus;
import io.ocicat.sandbox.store.ContainerRecord;
import io.ocicat.sandbox.store.SandboxStore;
import java.time.Instant;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a pod to JSON. */
final class PodJson {
  private static final long NANOS = 1_000_000_000;

  private PodJson() {}

  static Instant created(SandboxStatus pod) {
    return Instant.ofEpochSecond(pod.createdAt() / NANOS, pod.createdAt() % NANOS);
  }

  static ObjectNode of(SandboxStatus pod) {
    ObjectNode json = Json.object();
    json.put("id", pod.id());
    json.put("name", pod.config().metadata().name());
    json.put("namespace", pod.config().metadata().namespace());
    json.put("state", pod.state().name());
    json.put("created", created(pod).toString());
    json.set("ips", Json.array(pod.ips()));
    json.put("network", pod.network());
    json.put("netns", pod.netns());
    json.put("infra", pod.infra());
    json.put("pid", pod.pid());
    ArrayNode containers = json.putArray("containers");
    for (ContainerRecord container : pod.containers()) {
      ObjectNode entry = containers.addObject();
      entry.put("name", container.name());
      entry.put("pid", container.process().pid());
      entry.put("running", container.process().isAlive());
      entry.set("command", Json.array(container.command()));
    }
    json.put("problem", pod.problem());
    json.set("config", SandboxStore.toJson(pod.config()));
    return json;
  }
}
