package io.ocicat.cli.inspect;

import io.ocicat.base.json.Json;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cli.check.ShortIds;
import io.ocicat.daemon.trace.Cause;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The state of one interface of one container, with the evidence for it.
 *
 * @param cause of the call that failed, if one did
 * @param evidence sentences
 * @param problems what is wrong, the worst first
 * @param next what to do
 * @param last when something last happened to it
 */
record AttachmentReport(
    String containerId,
    String ifName,
    String pod,
    String network,
    AttachmentState verdict,
    Cause cause,
    List<String> evidence,
    List<Discrepancy> problems,
    String next,
    Instant last) {
  AttachmentReport {
    evidence = List.copyOf(evidence);
    problems = List.copyOf(problems);
  }

  /** With more sentences. */
  AttachmentReport with(List<String> more) {
    List<String> sentences = new ArrayList<>(evidence);
    sentences.addAll(more);
    return new AttachmentReport(
        containerId, ifName, pod, network, verdict, cause, sentences, problems, next, last);
  }

  void print(ShortIds ids, PrintWriter out) {
    out.println(
        "%s%s%s%s: %s%s"
            .formatted(
                pod.isEmpty() ? "" : pod + ", ",
                ids.of(containerId),
                ifName.isEmpty() ? "" : " " + ifName,
                network.isEmpty() ? "" : " on " + network,
                verdict.label(),
                detail()));
    evidence.forEach(sentence -> out.println("  " + ids.in(sentence)));
    problems.forEach(problem -> out.println("  " + ids.in(problem.sentence())));
    if (!verdict.isFine()) {
      out.println("  next: " + ids.in(next));
    }
    // A problem that the first one's advice does not solve has its own.
    problems.stream()
        .skip(1)
        .map(Discrepancy::advice)
        .filter(advice -> !advice.equals(next))
        .distinct()
        .forEach(advice -> out.println("  then: " + ids.in(advice)));
  }

  private String detail() {
    if (cause != Cause.NONE) {
      return " (" + cause.label() + ")";
    }
    return verdict == AttachmentState.BROKEN ? " (" + problems.getFirst().kind().label() + ")" : "";
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
    ArrayNode wrong = json.putArray("problems");
    problems.forEach(problem -> wrong.add(problem.toJson()));
    json.put("next", next);
    json.put("last", last.toString());
    return json;
  }
}
