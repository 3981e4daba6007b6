package io.ocicat.image.registry;

import io.ocicat.base.Quoted;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, in upper or lower case, as containerd
 * and curl understand them. Loopback is never reached through a proxy.
 */
final class EnvironmentProxies extends ProxySelector {
  private static final int USUAL_PORT = 80;

  private final Map<String, String> environment;

  EnvironmentProxies(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  private String variable(String name) {
    String lower = environment.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    return lower.isEmpty() ? environment.getOrDefault(name, "") : lower;
  }

  @Override
  public List<Proxy> select(URI uri) {
    String proxy = variable("https".equals(uri.getScheme()) ? "HTTPS_PROXY" : "HTTP_PROXY");
    if (proxy.isBlank()
        || RegistryHost.isLoopback(uri.getAuthority())
        || isExcluded(uri.getHost(), uri.getPort())) {
      return List.of(Proxy.NO_PROXY);
    }
    return List.of(new Proxy(Proxy.Type.HTTP, address(proxy)));
  }

  private static InetSocketAddress address(String text) {
    try {
      URI proxy = URI.create(text.contains("://") ? text : "http://" + text);
      if ("http".equals(proxy.getScheme())
          && proxy.getHost() != null
          && proxy.getUserInfo() == null) {
        int port = proxy.getPort() < 0 ? USUAL_PORT : proxy.getPort();
        // Resolved by the client when it connects.
        return InetSocketAddress.createUnresolved(proxy.getHost(), port);
      }
    } catch (IllegalArgumentException _) {
      // As bad as the others.
    }
    throw new ImageException(
        Reason.INVALID,
        "the proxy in HTTPS_PROXY or HTTP_PROXY must be http://HOST[:PORT] without a password"
            + (text.contains("@") ? "" : ", not " + Quoted.brief(text)));
  }

  /** By name, by domain, by address or by prefix, perhaps with a port. */
  private boolean isExcluded(String host, int port) {
    String plain = host.replaceAll("[\\[\\]]", "");
    for (String each : variable("NO_PROXY").split(",", -1)) {
      String item = each.strip().toLowerCase(Locale.ROOT);
      if (item.isEmpty()) {
        continue;
      }
      String withPort = plain + ":" + port;
      String domain = item.startsWith("*.") ? item.substring(1) : item;
      if (item.equals("*")
          || item.equals(plain)
          || item.equals(withPort)
          || plain.endsWith(domain.startsWith(".") ? domain : "." + domain)
          || contains(item, plain)) {
        return true;
      }
    }
    return false;
  }

  private static boolean contains(String prefix, String host) {
    if (prefix.indexOf('/') < 0) {
      return false;
    }
    try {
      return IpPrefix.parse(prefix).contains(IpAddress.parse(host));
    } catch (IllegalArgumentException _) {
      // A name, which is in no prefix.
      return false;
    }
  }

  /** The request fails, and says why. */
  @Override
  public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
}
