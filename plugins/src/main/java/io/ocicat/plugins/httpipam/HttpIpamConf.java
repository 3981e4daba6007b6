package io.ocicat.plugins.httpipam;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.Dns;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Route;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the plugin, all of it inside {@code ipam}.
 *
 * @param server without a slash at the end
 * @param pool null when the server decides
 * @param families empty when the pool decides
 * @param routes instead of the server's, when it is not null; so is dns
 */
record HttpIpamConf(
    URI server,
    BearerToken token,
    String node,
    @Nullable String pool,
    List<String> families,
    long leaseSeconds,
    Duration timeout,
    Duration connectTimeout,
    int retries,
    @Nullable Path caFile,
    boolean insecureSkipVerify,
    @Nullable List<Route> routes,
    @Nullable Dns dns) {
  private static final URI NOWHERE = URI.create("http://0.0.0.0");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  /** Runtimes wait about four minutes and then start over, while we would still be trying. */
  static final Duration LONGEST = Duration.ofMinutes(3);

  private static final int MAX_MILLIS = 60_000;
  private static final int MAX_RETRIES = 20;
  private static final long MAX_LEASE_SECONDS = 315_360_000;

  HttpIpamConf {
    families = List.copyOf(families);
  }

  static HttpIpamConf read(PluginConfig config) {
    return config.read(document -> read(document.object("ipam")));
  }

  private static HttpIpamConf read(JsonFields in) {
    HttpIpamConf conf =
        new HttpIpamConf(
            in.text("serverURL").map(HttpIpamConf::server, NOWHERE).required(),
            BearerToken.read(in),
            node(in),
            in.text("pool").check(pool -> !pool.isEmpty(), "must not be empty").orNull(),
            families(in),
            in.longInteger("leaseSeconds", 0, MAX_LEASE_SECONDS).or(0L),
            Duration.ofMillis(in.integer("timeoutMs", 1, MAX_MILLIS).or(5000)),
            Duration.ofMillis(in.integer("connectTimeoutMs", 1, MAX_MILLIS).or(2000)),
            in.integer("retries", 0, MAX_RETRIES).or(3),
            in.text("caFile").map(Path::of, Path.of("/")).orNull(),
            in.bool("insecureSkipVerify").or(false),
            in.has("routes") ? in.objects("routes").stream().map(Route::read).toList() : null,
            in.has("dns") ? Dns.read(in.object("dns")) : null);
    if (conf.timeout.multipliedBy(conf.retries + 1L).compareTo(LONGEST) > 0) {
      in.problem(
          "retries",
          "and timeoutMs together must not take longer than %d s".formatted(LONGEST.toSeconds()));
    }
    if (!conf.isTls() && (conf.caFile != null || conf.insecureSkipVerify)) {
      in.problem(
          conf.caFile != null ? "caFile" : "insecureSkipVerify",
          "is for https only, and serverURL is not");
    }
    return conf;
  }

  /** The text may contain a password by mistake, so it is not always shown. */
  private static URI server(String text) {
    if (text.contains("@")) {
      throw new IllegalArgumentException("must not hold a user name: use token or tokenFile");
    }
    try {
      URI uri = new URI(text.replaceFirst("/+$", ""));
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if ((scheme.equals("http") || scheme.equals("https"))
          && uri.getHost() != null
          && uri.getPort() <= 65535
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        return uri;
      }
    } catch (URISyntaxException _) {
      // Reported below.
    }
    throw new IllegalArgumentException(
        "must be an address such as http://10.0.0.1:8090 or https://ipam.example.org/prefix, not "
            + Quoted.brief(text));
  }

  private static List<String> families(JsonFields in) {
    List<String> families = new ArrayList<>();
    for (JsonValue family : in.value("families").items()) {
      families.add(family.choice(new String[] {"ipv4", "ipv6"}, name -> name).required());
    }
    return families;
  }

  /** The server must know which allocations belong to this node to collect garbage. */
  private static String node(JsonFields in) {
    if (in.has("node")) {
      return in.text("node").check(node -> !node.isEmpty(), "must not be empty").required();
    }
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      in.problem("node", "is missing, and the host's name cannot be read: " + e.getMessage());
      return "";
    }
  }

  boolean wants(String family) {
    return families.isEmpty() || family.isEmpty() || families.contains(family);
  }

  boolean isTls() {
    return "https".equalsIgnoreCase(server.getScheme());
  }
}
