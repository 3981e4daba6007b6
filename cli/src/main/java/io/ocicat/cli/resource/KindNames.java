package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.resource.Kind;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The names of kinds on the command line: singular, plural, and calicoctl's short names. */
public final class KindNames {
  private static final Map<Kind, List<String>> SHORT = new LinkedHashMap<>();

  static {
    SHORT.put(Kind.WORKLOAD_ENDPOINT, List.of("wep", "weps"));
    SHORT.put(Kind.IP_POOL, List.of("ipp", "ipps", "pool", "pools"));
    SHORT.put(Kind.IP_RESERVATION, List.of("reservation", "reservations"));
    SHORT.put(Kind.NODE, List.of("no", "nos"));
    SHORT.put(Kind.NAMESPACE, List.of("ns"));
    SHORT.put(Kind.KUBERNETES_NETWORK_POLICY, List.of("knp", "knps"));
    SHORT.put(Kind.CLUSTER_NETWORK_POLICY, List.of("kcnp", "kcnps"));
    SHORT.put(Kind.PROFILE, List.of("pro", "pros"));
    SHORT.put(Kind.HOST_ENDPOINT, List.of("hep", "heps"));
    SHORT.put(Kind.NETWORK_POLICY, List.of("np", "nps", "policy", "policies", "pol", "pols"));
    SHORT.put(Kind.GLOBAL_NETWORK_POLICY, List.of("gnp", "gnps"));
    SHORT.put(
        Kind.STAGED_NETWORK_POLICY,
        List.of("stagedpolicy", "stagedpolicies", "snp", "scnp", "spol", "spols"));
    SHORT.put(Kind.STAGED_GLOBAL_NETWORK_POLICY, List.of("sgnp", "sgnps"));
    SHORT.put(
        Kind.STAGED_KUBERNETES_NETWORK_POLICY,
        List.of("stagedkubernetespolicy", "stagedkubernetespolicies", "sknp", "skpol", "skpols"));
    SHORT.put(Kind.NETWORK_SET, List.of("netset", "netsets"));
    SHORT.put(Kind.GLOBAL_NETWORK_SET, List.of("gnetset", "gnetsets"));
    SHORT.put(Kind.BGP_PEER, List.of("bgpp", "bgpps", "bp", "bps"));
    SHORT.put(Kind.BGP_CONFIGURATION, List.of("bgpconfig", "bgpconfigs"));
    SHORT.put(Kind.BGP_FILTER, List.of("bgpf", "bgpfs", "bf", "bfs"));
    SHORT.put(Kind.FELIX_CONFIGURATION, List.of("felixconfig", "felixconfigs", "fc", "fcs"));
    SHORT.put(
        Kind.KUBE_CONTROLLERS_CONFIGURATION,
        List.of("kubecontrollersconfig", "kubecontrollersconfigs", "kcc", "kccs"));
    SHORT.put(Kind.CALICO_NODE_STATUS, List.of("nodestatus", "nodestatuses"));
    SHORT.put(Kind.IPAM_CONFIGURATION, List.of("ipamconfig", "ipamconfigs"));
    SHORT.put(Kind.CLUSTER_INFORMATION, List.of("clusterinfo", "clusterinfos"));
    SHORT.put(Kind.BLOCK_AFFINITY, List.of("affinity", "affinities"));
    SHORT.put(Kind.IPAM_BLOCK, List.of("block", "blocks"));
    SHORT.put(Kind.IPAM_HANDLE, List.of("handle", "handles"));
  }

  private KindNames() {}

  /**
   * The kind of any of its names, ignoring case.
   *
   * @throws UsageException when there is no such kind
   */
  public static Kind parse(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new UsageException(
                    "there is no kind %s: %s"
                        .formatted(
                            Quoted.brief(name),
                            Kind.like(name)
                                .map(kind -> "did you mean %s?".formatted(singular(kind)))
                                .orElseGet(() -> "use one of " + String.join(", ", singulars())))));
  }

  private static Optional<Kind> find(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    // calicoctl's ipamconfig is the public kind, not the record that the IPAM library reads.
    return SHORT.entrySet().stream()
        .filter(entry -> entry.getValue().contains(lower))
        .map(Map.Entry::getKey)
        .findFirst()
        .or(() -> Kind.find(lower));
  }

  /** As in {@code ippool/blue}. */
  public static String singular(Kind kind) {
    return kind.text().toLowerCase(Locale.ROOT);
  }

  private static List<String> singulars() {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind != Kind.IPAM_CONFIG)
        .map(KindNames::singular)
        .toList();
  }

  /** The candidates for shell completion. */
  static final class Candidates implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return singulars().iterator();
    }
  }
}
