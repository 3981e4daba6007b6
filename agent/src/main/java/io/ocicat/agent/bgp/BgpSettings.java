package io.ocicat.agent.bgp;

import io.ocicat.base.Quoted;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The environment variables that BGP depends on.
 *
 * @param backend whether this node speaks BGP at all
 * @param routerId an address, {@code hash}, or empty for the node's IPv4 address
 * @param clusterIps the ranges of cluster IPs instead of those in BGPConfiguration, if given
 * @param logSeverity instead of that in BGPConfiguration; in lower case, empty when not given
 * @param namespace where Secrets are on Kubernetes
 * @param secrets where they are without Kubernetes: {@code <secrets>/<name>/<key>}
 * @param problems variables that are ignored because they are not valid
 */
public record BgpSettings(
    boolean backend,
    String routerId,
    Optional<List<IpPrefix>> clusterIps,
    String logSeverity,
    String namespace,
    Path secrets,
    List<String> problems) {
  private static final String CLUSTER_IPS = "CALICO_ADVERTISE_CLUSTER_IPS";

  public BgpSettings {
    problems = List.copyOf(problems);
  }

  public static BgpSettings of(Map<String, String> environment) {
    List<String> problems = new ArrayList<>();
    return new BgpSettings(
        text(environment, "CALICO_NETWORKING_BACKEND", "").equals("bird"),
        text(environment, "CALICO_ROUTER_ID", ""),
        clusterIps(text(environment, CLUSTER_IPS, ""), problems),
        text(environment, "BGP_LOGSEVERITYSCREEN", "").toLowerCase(Locale.ROOT),
        text(environment, "NAMESPACE", "kube-system"),
        Path.of(text(environment, "OCICAT_SECRETS_DIR", "/etc/ocicat/secrets")),
        problems);
  }

  private static String text(Map<String, String> environment, String variable, String otherwise) {
    String value = environment.getOrDefault(variable, "").strip();
    return value.isEmpty() ? otherwise : value;
  }

  private static Optional<List<IpPrefix>> clusterIps(String value, List<String> problems) {
    if (value.isEmpty()) {
      return Optional.empty();
    }
    List<IpPrefix> ranges = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      IpPrefix.tryParse(part.strip())
          .ifPresentOrElse(
              range -> ranges.add(range.network()),
              () ->
                  problems.add(
                      "%s: %s is ignored: it is not a network, as in 10.96.0.0/12"
                          .formatted(CLUSTER_IPS, Quoted.brief(part.strip()))));
    }
    return Optional.of(List.copyOf(ranges));
  }
}
