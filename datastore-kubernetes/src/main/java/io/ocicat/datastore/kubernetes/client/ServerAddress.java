package io.ocicat.datastore.kubernetes.client;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.error.InvalidException;
import java.net.URI;
import java.net.URISyntaxException;

/** Parses addresses of API servers from configurations. */
public final class ServerAddress {
  private ServerAddress() {}

  /** Parses an address, without a trailing slash. */
  public static URI address(String source, String text) {
    try {
      String whole = text.contains("://") || text.isEmpty() ? text : "https://" + text;
      URI uri = new URI(whole.endsWith("/") ? whole.substring(0, whole.length() - 1) : whole);
      boolean web = "https".equals(uri.getScheme()) || "http".equals(uri.getScheme());
      if (web && uri.getHost() != null && uri.getRawQuery() == null) {
        return uri;
      }
    } catch (URISyntaxException _) {
      // Rejected below.
    }
    throw new InvalidException(
        "server %s in %s is not the address of an API: it must look like https://10.0.0.1:6443"
            .formatted(Quoted.brief(text), source));
  }

  /** The address for host and port from a pod's environment. */
  public static URI inCluster(String host, String port) {
    boolean v6 = host.contains(":") && !host.startsWith("[");
    return address(
        "KUBERNETES_SERVICE_HOST",
        "https://%s:%s".formatted(v6 ? "[" + host + "]" : host, port.isEmpty() ? "443" : port));
  }
}
