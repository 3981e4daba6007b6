package io.ocicat.cli.inspect;

import io.ocicat.cni.json.Json;
import io.ocicat.daemon.trace.Cause;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * What became of one interface of one container, and how that is known.
 *
 * @param cause of the call that failed, if one did
 * @param evidence sentences
 * @param next what to do
 * @param last when something was last heard of it
 */
record Story(
    String containerId,
    String ifName,
    String pod,
    String network,
    Verdict verdict,
    Cause cause,
    List<String> evidence,
    String next,
    Instant last) {
  Story {
    evidence = List.copyOf(evidence);
  }

  void print(PrintWriter out) {
    out.println(
        "%s%s%s%s: %s%s"
            .formatted(
                pod.isEmpty() ? "" : pod + ", ",
                containerId,
                ifName.isEmpty() ? "" : " " + ifName,
                network.isEmpty() ? "" : " on " + network,
                verdict.label(),
                cause == Cause.NONE ? "" : " (" + cause.label() + ")"));
    evidence.forEach(sentence -> out.println("  " + sentence));
    if (!verdict.isFine()) {
      out.println("  next: " + next);
    }
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.put("container", containerId);
    json.put("ifname", ifName);
    json.put("pod", pod);
    json.put("network", network);
    json.put("verdict", verdict.label());
    json.put("cause", cause.label());
    json.put("fine", verdict.isFine());
    json.set("evidence", Json.array(evidence));
    json.put("next", next);
    json.put("last", last.toString());
    return json;
  }
}
