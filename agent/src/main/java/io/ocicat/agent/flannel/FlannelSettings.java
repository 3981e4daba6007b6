package io.ocicat.agent.flannel;

import io.ocicat.agent.startup.StartupException;
import io.ocicat.base.Quoted;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of flannel's part: flanneld's flags by the variables that it reads them from.
 *
 * @param interfaces names or addresses of the external interface, tried in order
 * @param interfacePattern for the addresses, then the names of interfaces; tried after those
 * @param canReach the external interface is the one that leads there
 * @param publicAddresses what other nodes use instead of the interface's addresses
 * @param masqueradeFullyRandom whether ports are chosen at random
 * @param nodeLeases whether leases are in the cluster's nodes rather than in keys
 * @param etcd another etcd than the agent's own datastore
 * @param warnings variables of flanneld that do nothing here, one line each
 */
public record FlannelSettings(
    List<String> interfaces,
    @Nullable Pattern interfacePattern,
    @Nullable IpAddress canReach,
    Path subnetFile,
    Map<IpFamily, IpAddress> publicAddresses,
    Duration renewMargin,
    boolean masquerade,
    boolean masqueradeFullyRandom,
    boolean forwardRules,
    boolean blackholeRoute,
    boolean nodeLeases,
    AnnotationNames annotations,
    String keyPrefix,
    Optional<DatastoreConfig.Etcd> etcd,
    Path netConf,
    boolean announceNode,
    List<String> warnings) {
  private static final String FLAGS = "FLANNELD_";

  /** Variables of flanneld, and why they do nothing. */
  private static final Map<String, String> WITHOUT_EFFECT =
      Map.of(
          "KUBE_API_URL", "the agent's datastore settings say where the API server is",
          "KUBECONFIG_FILE", "the agent's datastore settings say where the API server is",
          "HEALTHZ_IP", "the agent has FELIX_HEALTHHOST",
          "HEALTHZ_PORT", "the agent has FELIX_HEALTHENABLED and FELIX_HEALTHPORT",
          "IPTABLES_RESYNC", "changes are noticed at once");

  public FlannelSettings {
    interfaces = List.copyOf(interfaces);
    publicAddresses = Map.copyOf(publicAddresses);
    warnings = List.copyOf(warnings);
  }

  /**
   * Reads the environment.
   *
   * @throws StartupException when a value is invalid
   */
  public static FlannelSettings of(Map<String, String> environment) {
    Reading in = new Reading(environment);
    return new FlannelSettings(
        in.list("IFACE"),
        in.pattern("IFACE_REGEX"),
        in.address("IFACE_CAN_REACH", null),
        in.path("SUBNET_FILE", "/run/flannel/subnet.env"),
        in.publicAddresses(),
        in.renewMargin(),
        in.flag(FLAGS + "IP_MASQ", false),
        !in.flag(FLAGS + "IP_MASQ_FULLY_RANDOM_DISABLE", false),
        in.flag(FLAGS + "IPTABLES_FORWARD_RULES", true),
        in.flag(FLAGS + "IP_BLACKHOLE_ROUTE", false),
        in.flag(FLAGS + "KUBE_SUBNET_MGR", false),
        in.annotations(),
        in.keyPrefix(),
        in.etcd(),
        in.path("NET_CONFIG_PATH", "/etc/kube-flannel/net-conf.json"),
        in.flag(FLAGS + "SET_NODE_NETWORK_UNAVAILABLE", true),
        in.warnings());
  }

  /** The variables; one that is empty is not set. */
  private record Reading(Map<String, String> environment) {
    String text(String flag) {
      return environment.getOrDefault(FLAGS + flag, "").strip();
    }

    private static StartupException refused(String variable, String must, String value) {
      return new StartupException(
          StartupException.Reason.BAD_SETTING,
          "%s must be %s, not %s".formatted(variable, must, Quoted.brief(value)));
    }

    /** Everything that flanneld takes for a boolean. */
    boolean flag(String variable, boolean initial) {
      String value = environment.getOrDefault(variable, "").strip();
      return switch (value) {
        case "" -> initial;
        case "1", "t", "T", "true", "True", "TRUE" -> true;
        case "0", "f", "F", "false", "False", "FALSE" -> false;
        default -> throw refused(variable, "true or false", value);
      };
    }

    List<String> list(String flag) {
      return Stream.of(text(flag).split(",", -1))
          .map(String::strip)
          .filter(item -> !item.isEmpty())
          .toList();
    }

    @Nullable Pattern pattern(String flag) {
      String value = text(flag);
      try {
        return value.isEmpty() ? null : Pattern.compile(value);
      } catch (PatternSyntaxException e) {
        throw refused(FLAGS + flag, "a regular expression", value);
      }
    }

    @Nullable IpAddress address(String flag, @Nullable IpFamily family) {
      String value = text(flag);
      if (value.isEmpty()) {
        return null;
      }
      return IpAddress.tryParse(value)
          .filter(address -> family == null || IpFamily.of(address) == family)
          .orElseThrow(
              () ->
                  refused(
                      FLAGS + flag,
                      family == null ? "an address" : "an address of " + family,
                      value));
    }

    Map<IpFamily, IpAddress> publicAddresses() {
      Map<IpFamily, IpAddress> addresses = new TreeMap<>();
      IpAddress v4 = address("PUBLIC_IP", IpFamily.V4);
      IpAddress v6 = address("PUBLIC_IPV6", IpFamily.V6);
      if (v4 != null) {
        addresses.put(IpFamily.V4, v4);
      }
      if (v6 != null) {
        addresses.put(IpFamily.V6, v6);
      }
      return addresses;
    }

    Path path(String flag, String usual) {
      String value = text(flag);
      if (!value.isEmpty() && !value.startsWith("/")) {
        throw refused(FLAGS + flag, "an absolute path", value);
      }
      return Path.of(value.isEmpty() ? usual : value);
    }

    Duration renewMargin() {
      String value = text("SUBNET_LEASE_RENEW_MARGIN");
      int minutes = value.isEmpty() ? 60 : value.matches("\\d{1,6}") ? Integer.parseInt(value) : -1;
      if (minutes < 1 || minutes > 1439) {
        throw refused(FLAGS + "SUBNET_LEASE_RENEW_MARGIN", "1–1439 minutes", value);
      }
      return Duration.ofMinutes(minutes);
    }

    AnnotationNames annotations() {
      String value = text("KUBE_ANNOTATION_PREFIX");
      try {
        return AnnotationNames.of(value.isEmpty() ? AnnotationNames.USUAL : value);
      } catch (IllegalArgumentException e) {
        throw new StartupException(
            StartupException.Reason.BAD_SETTING,
            "%sKUBE_ANNOTATION_PREFIX %s".formatted(FLAGS, e.getMessage()),
            e);
      }
    }

    String keyPrefix() {
      String value = text("ETCD_PREFIX").replaceFirst("/+$", "");
      if (!value.isEmpty() && !value.startsWith("/")) {
        throw refused(FLAGS + "ETCD_PREFIX", "a key that starts with /", value);
      }
      return value.isEmpty() ? "/coreos.com/network" : value;
    }

    Optional<DatastoreConfig.Etcd> etcd() {
      List<String> endpoints = list("ETCD_ENDPOINTS");
      if (endpoints.isEmpty()) {
        return Optional.empty();
      }
      try {
        return Optional.of(
            new DatastoreConfig.Etcd(
                endpoints,
                "",
                text("ETCD_USERNAME"),
                new Secret(text("ETCD_PASSWORD")),
                new DatastoreConfig.Tls(
                    text("ETCD_KEYFILE"),
                    text("ETCD_CERTFILE"),
                    text("ETCD_CAFILE"),
                    new Secret(""),
                    "",
                    "")));
      } catch (InvalidException e) {
        throw new StartupException(
            StartupException.Reason.BAD_SETTING,
            "%sETCD_…: %s".formatted(FLAGS, e.getMessage()),
            e);
      }
    }

    List<String> warnings() {
      return new TreeMap<>(WITHOUT_EFFECT)
          .entrySet().stream()
              .filter(entry -> !text(entry.getKey()).isEmpty())
              .map(
                  entry ->
                      "%s%s has no effect: %s".formatted(FLAGS, entry.getKey(), entry.getValue()))
              .toList();
    }
  }
}
