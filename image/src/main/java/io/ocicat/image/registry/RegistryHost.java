package io.ocicat.image.registry;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A server that has images: the registry itself or one of its mirrors.
 *
 * @param base up to and with {@code /v2}
 * @param resolves whether it may say which image a tag is
 * @param headers sent with every request
 * @param authorities files of certificates that are trusted in addition to the usual ones
 * @param unverified whether any certificate will do
 * @param mirror whether it stands in for the registry
 */
record RegistryHost(
    URI base,
    boolean resolves,
    Map<String, List<String>> headers,
    List<Path> authorities,
    boolean unverified,
    boolean mirror) {
  RegistryHost {
    headers = Map.copyOf(headers);
    authorities = List.copyOf(authorities);
  }

  /** The registry by its usual address; only loopback is spoken to without encryption. */
  static RegistryHost of(String registry) {
    String host = registry.equals("docker.io") ? "registry-1.docker.io" : registry;
    String scheme = isLoopback(host) ? "http" : "https";
    return new RegistryHost(
        URI.create(scheme + "://" + host + "/v2"), true, Map.of(), List.of(), false, false);
  }

  static boolean isLoopback(String hostAndPort) {
    String host = hostAndPort.replaceFirst(":[0-9]+$", "");
    return host.equals("localhost")
        || host.equals("[::1]")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  /** Host and port, for messages. */
  String name() {
    return base.getAuthority();
  }
}
