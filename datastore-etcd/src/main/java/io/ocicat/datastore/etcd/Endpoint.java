package io.ocicat.datastore.etcd;

import io.ocicat.datastore.error.InvalidException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * The address of one etcd member.
 *
 * @param host a name or an address, an IPv6 one without brackets
 */
record Endpoint(boolean tls, String host, int port) {

  /** Parses a URL such as {@code https://10.0.0.1:2379}. */
  static Endpoint parse(String text) {
    try {
      URI uri = new URI(text);
      boolean tls = "https".equals(uri.getScheme());
      boolean known = tls || "http".equals(uri.getScheme());
      String path = uri.getPath();
      boolean bare =
          (path == null || path.isEmpty() || path.equals("/"))
              && uri.getQuery() == null
              && uri.getFragment() == null
              && uri.getUserInfo() == null;
      String host = uri.getHost();
      if (known && bare && host != null && uri.getPort() > 0 && uri.getPort() < 1 << 16) {
        return new Endpoint(tls, host.replaceAll("[\\[\\]]", ""), uri.getPort());
      }
    } catch (URISyntaxException _) {
      // Rejected below.
    }
    throw new InvalidException(
        "etcd endpoint \"%s\" must be a URL with a host and a port, as in https://10.0.0.1:2379"
            .formatted(text));
  }

  @Override
  public String toString() {
    String shown = host.contains(":") ? "[" + host + "]" : host;
    return (tls ? "https://" : "http://") + shown + ":" + port;
  }
}
