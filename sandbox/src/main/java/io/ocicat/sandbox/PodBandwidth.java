package io.ocicat.sandbox;

import io.ocicat.base.json.Json;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The bandwidth limits in a pod's annotations, in bit/s; 0 is no limit.
 *
 * @param ingress towards the pod
 * @param egress away from it
 */
public record PodBandwidth(long ingress, long egress) {
  static final String INGRESS = "kubernetes.io/ingress-bandwidth";
  static final String EGRESS = "kubernetes.io/egress-bandwidth";

  private static final BigDecimal LEAST = BigDecimal.valueOf(1_000);
  private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000_000_000_000L);

  /** kubelet's; the maximum of an int. */
  private static final int BURST = Integer.MAX_VALUE;

  /**
   * Reads the annotations.
   *
   * @throws SandboxException when one is not a rate between 1k and 1P
   */
  public static PodBandwidth of(Map<String, String> annotations) {
    return new PodBandwidth(rate(annotations, INGRESS), rate(annotations, EGRESS));
  }

  static void check(Map<String, String> annotations, List<String> problems) {
    for (String name : List.of(INGRESS, EGRESS)) {
      try {
        rate(annotations, name);
      } catch (SandboxException e) {
        problems.add(SandboxException.text(e));
      }
    }
  }

  private static long rate(Map<String, String> annotations, String name) {
    String text = annotations.get(name);
    if (text == null) {
      return 0;
    }
    BigDecimal rate;
    try {
      rate = Quantity.parse(text);
    } catch (IllegalArgumentException e) {
      throw bad(name, SandboxException.text(e));
    }
    if (rate.compareTo(LEAST) < 0) {
      throw bad(name, "%s is unreasonably small: at least 1k bit/s".formatted(text));
    }
    if (rate.compareTo(MOST) > 0) {
      throw bad(name, "%s is unreasonably large: at most 1P bit/s".formatted(text));
    }
    return rate.longValueExact();
  }

  private static SandboxException bad(String name, String why) {
    return new SandboxException(
        SandboxException.Reason.INVALID, "annotation %s: %s".formatted(name, why));
  }

  /** Returns the value of the capability {@code bandwidth}; empty when nothing is limited. */
  public Optional<ObjectNode> toCapability() {
    ObjectNode json = Json.object();
    if (ingress > 0) {
      json.put("ingressRate", ingress).put("ingressBurst", BURST);
    }
    if (egress > 0) {
      json.put("egressRate", egress).put("egressBurst", BURST);
    }
    return json.isEmpty() ? Optional.empty() : Optional.of(json);
  }
}
