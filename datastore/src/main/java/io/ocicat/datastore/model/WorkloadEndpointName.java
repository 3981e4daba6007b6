package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The parts of a WorkloadEndpoint's name: node, orchestrator, the workload in the orchestrator's
 * own terms (a pod, a container, …) and endpoint, each with its dashes doubled, joined by single
 * ones: {@code node--1-k8s-web--0-eth0}. An empty part is unknown, for prefixes and patterns.
 *
 * @param workload the pod for {@code k8s}, the container's id for {@code cni}, a constant for
 *     {@code libnetwork}, otherwise the workload's name
 */
public record WorkloadEndpointName(
    String node, String orchestrator, String workload, String endpoint) {
  public static final String KUBERNETES = "k8s";
  public static final String CNI = "cni";
  private static final String LIBNETWORK = "libnetwork";

  /** Four parts of one character each. */
  private static final int SHORTEST = 7;

  public static WorkloadEndpointName ofPod(String node, String pod, String endpoint) {
    return new WorkloadEndpointName(node, KUBERNETES, pod, endpoint);
  }

  public static WorkloadEndpointName ofContainer(String node, String id, String endpoint) {
    return new WorkloadEndpointName(node, CNI, id, endpoint);
  }

  /** Builds the name from the spec of a WorkloadEndpoint. */
  public static WorkloadEndpointName ofSpec(JsonNode spec) {
    String orchestrator = spec.path("orchestrator").asString("");
    return new WorkloadEndpointName(
        spec.path("node").asString(""),
        orchestrator,
        orchestrator.equals(LIBNETWORK)
            ? LIBNETWORK
            : spec.path(workloadField(orchestrator)).asString(""),
        spec.path("endpoint").asString(""));
  }

  private static String workloadField(String orchestrator) {
    return switch (orchestrator) {
      case KUBERNETES -> "pod";
      case CNI -> "containerID";
      default -> "workload";
    };
  }

  /**
   * Returns the whole name.
   *
   * @throws IllegalArgumentException naming the part that is missing or wrong
   */
  public String text() {
    List<String> escaped = new ArrayList<>();
    for (Part part : parts()) {
      if (part.value().isEmpty()) {
        throw new IllegalArgumentException(part.name() + " is missing");
      }
      escaped.add(part.escaped());
    }
    return String.join("-", escaped);
  }

  /**
   * Returns a prefix of all matching names: the parts up to the first unknown one and a dash, or
   * the whole name when all are known. Other names may have it too; {@link #matches} distinguishes
   * them.
   *
   * @throws IllegalArgumentException when the node is missing or a part is wrong
   */
  public String prefix() {
    if (node.isEmpty()) {
      throw new IllegalArgumentException("node is missing");
    }
    StringBuilder prefix = new StringBuilder();
    for (Part part : parts()) {
      if (part.value().isEmpty()) {
        return prefix.toString();
      }
      prefix.append(part.escaped()).append('-');
    }
    return prefix.substring(0, prefix.length() - 1);
  }

  /** Whether a name has exactly the parts that are known here. */
  public boolean matches(String name) {
    return parse(name)
        .filter(
            other ->
                agree(node, other.node)
                    && agree(orchestrator, other.orchestrator)
                    && agree(workload, other.workload)
                    && agree(endpoint, other.endpoint))
        .isPresent();
  }

  private static boolean agree(String wanted, String found) {
    return wanted.isEmpty() || wanted.equals(found);
  }

  /** Parses a complete name; empty when it is not valid. */
  public static Optional<WorkloadEndpointName> parse(String name) {
    List<String> parts = split(name);
    return name.length() < SHORTEST || parts.size() != 4
        ? Optional.empty()
        : Optional.of(
            new WorkloadEndpointName(parts.get(0), parts.get(1), parts.get(2), parts.get(3)));
  }

  /**
   * Parses a name or the beginning of one; missing parts are empty.
   *
   * @throws IllegalArgumentException when it has none or more than four
   */
  public static WorkloadEndpointName parseLoosely(String name) {
    List<String> parts = new ArrayList<>(split(name));
    if (name.isEmpty() || parts.size() > 4) {
      throw new IllegalArgumentException(
          "%s is not the name of a workload endpoint: it must have 1–4 parts, not %d"
              .formatted(Quoted.brief(name), name.isEmpty() ? 0 : parts.size()));
    }
    while (parts.size() < 4) {
      parts.add("");
    }
    return new WorkloadEndpointName(parts.get(0), parts.get(1), parts.get(2), parts.get(3));
  }

  /** A single dash separates, two stand for one. The first character always belongs to a part. */
  private static List<String> split(String name) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    for (int i = 1; i < name.length(); i++) {
      if (name.charAt(i) != '-') {
        continue;
      }
      if (i + 1 < name.length() && name.charAt(i + 1) == '-') {
        i++;
        continue;
      }
      parts.add(name.substring(start, i).replace("--", "-"));
      start = i + 1;
    }
    parts.add(name.substring(start).replace("--", "-"));
    return parts;
  }

  private record Part(String name, String value) {
    String escaped() {
      if (value.startsWith("-") || value.endsWith("-")) {
        throw new IllegalArgumentException(
            "%s %s must not start or end with a dash".formatted(name, Quoted.brief(value)));
      }
      return value.replace("-", "--");
    }
  }

  private List<Part> parts() {
    return List.of(
        new Part("node", node),
        new Part("orchestrator", orchestrator),
        new Part(orchestrator.isEmpty() ? "workload" : workloadField(orchestrator), workload),
        new Part("endpoint", endpoint));
  }

  @Override
  public String toString() {
    return text();
  }
}
