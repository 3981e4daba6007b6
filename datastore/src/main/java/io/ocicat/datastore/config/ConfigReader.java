package io.ocicat.datastore.config;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.error.InvalidException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads settings by Calico's names, as in ETCD_ENDPOINTS: first a variable prefixed with CALICO_,
 * then the given value, then the plain variable.
 */
final class ConfigReader {
  private static final String PREFIX = "CALICO_";
  private static final String STATE_DIRECTORY = "/var/lib/ocicat";

  private final Map<String, String> given;
  private final Map<String, String> environment;

  ConfigReader(Map<String, String> given, Map<String, String> environment) {
    this.given = given;
    this.environment = environment;
  }

  DatastoreConfig read() {
    String type = text("DATASTORE_TYPE");
    return switch (type.toLowerCase(Locale.ROOT)) {
      case "embedded" -> embedded(environment);
      case "etcdv3" -> etcd();
      case "kubernetes" -> kubernetes();
      case "" -> detect();
      default -> throw unknownType(type);
    };
  }

  static InvalidException unknownType(String type) {
    return new InvalidException(
        "datastore_type must be embedded, etcdv3 or kubernetes, not " + Quoted.brief(type));
  }

  static DatastoreConfig.Embedded embedded(Map<String, String> environment) {
    String directory = environment.getOrDefault("OCICAT_STATE_DIR", "");
    return new DatastoreConfig.Embedded(Path.of(directory.isEmpty() ? STATE_DIRECTORY : directory));
  }

  /**
   * As in Calico, except that nothing configured means embedded, where Calico would assume
   * Kubernetes.
   */
  private DatastoreConfig detect() {
    if (isSet("ETCD_ENDPOINTS") || isSet("ETCD_DISCOVERY_SRV")) {
      return etcd();
    }
    boolean inCluster = !environment.getOrDefault("KUBERNETES_SERVICE_HOST", "").isEmpty();
    return isSet("KUBECONFIG") || isSet("K8S_API_ENDPOINT") || inCluster
        ? kubernetes()
        : embedded(environment);
  }

  private DatastoreConfig etcd() {
    return new DatastoreConfig.Etcd(
        endpoints(text("ETCD_ENDPOINTS")),
        text("ETCD_DISCOVERY_SRV"),
        text("ETCD_USERNAME"),
        new Secret(text("ETCD_PASSWORD")),
        new DatastoreConfig.Tls(
            text("ETCD_KEY_FILE"),
            text("ETCD_CERT_FILE"),
            text("ETCD_CA_CERT_FILE"),
            new Secret(""),
            "",
            ""));
  }

  static List<String> endpoints(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .filter(endpoint -> !endpoint.isEmpty())
        .toList();
  }

  private DatastoreConfig kubernetes() {
    return new DatastoreConfig.Kubernetes(
        text("KUBECONFIG"),
        new Secret(""),
        text("K8S_CURRENT_CONTEXT"),
        text("K8S_API_ENDPOINT"),
        new Secret(token()),
        text("K8S_KEY_FILE"),
        text("K8S_CERT_FILE"),
        text("K8S_CA_FILE"),
        flag("K8S_INSECURE_SKIP_TLS_VERIFY"),
        flag("USE_POD_CIDR"),
        text("CALICO_API_GROUP"),
        number("K8S_CLIENT_QPS"),
        (int) number("K8S_CLIENT_BURST"));
  }

  /** Calico itself only reads the second name, by a mistake that some rely on. */
  private String token() {
    String token = text("K8S_API_TOKEN");
    return token.isEmpty() ? text("K8SAPITOKEN") : token;
  }

  private boolean isSet(String name) {
    return !text(name).isEmpty();
  }

  private String text(String name) {
    String strongest = environment.getOrDefault(PREFIX + name, "");
    if (!strongest.isEmpty()) {
      return strongest;
    }
    String own = given.getOrDefault(name, "");
    return own.isEmpty() ? environment.getOrDefault(name, "") : own;
  }

  private boolean flag(String name) {
    String text = text(name);
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "", "0", "f", "false" -> false;
      case "1", "t", "true" -> true;
      default ->
          throw new InvalidException(
              "%s must be true or false, not %s".formatted(name, Quoted.brief(text)));
    };
  }

  private double number(String name) {
    String text = text(name);
    try {
      double number = text.isEmpty() ? 0 : Double.parseDouble(text);
      if (number >= 0 && number <= Integer.MAX_VALUE) {
        return number;
      }
    } catch (NumberFormatException _) {
      // Rejected below.
    }
    throw new InvalidException("%s must be a number, not %s".formatted(name, Quoted.brief(text)));
  }
}
