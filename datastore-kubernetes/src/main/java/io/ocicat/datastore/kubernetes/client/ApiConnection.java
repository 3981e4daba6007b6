package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.json.StoredJson;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * An HTTP client for the API as {@link ApiAccess} describes it. HTTP/1.1: a connection that has
 * gone silent is then closed with the request that noticed it, while one HTTP/2 connection for all
 * requests and watches would be reused again and again until the kernel closes it a quarter of an
 * hour later.
 */
public record ApiConnection(ApiAccess access, Map<Path, FileTime> read, HttpClient client) {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final String AGENT = "ocicat";

  public static ApiConnection of(ApiAccess access) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT)
            .sslContext(ApiTls.context(access));
    URI proxy = access.proxy();
    builder.proxy(
        proxy == null
            ? HttpClient.Builder.NO_PROXY
            : ProxySelector.of(
                InetSocketAddress.createUnresolved(
                    proxy.getHost(), proxy.getPort() < 0 ? 80 : proxy.getPort())));
    return new ApiConnection(access, times(access), builder.build());
  }

  /** The same connections with renewed credentials. */
  public ApiConnection renewed(ApiAccess access) {
    return new ApiConnection(access, times(access), client);
  }

  private static Map<Path, FileTime> times(ApiAccess access) {
    Map<Path, FileTime> times = new TreeMap<>();
    access.files().forEach(file -> times.put(file, modified(file)));
    return times;
  }

  /** Whether none of the files has changed since. */
  public boolean isFresh() {
    return read.entrySet().stream()
        .allMatch(entry -> modified(entry.getKey()).equals(entry.getValue()));
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException _) {
      return FileTime.fromMillis(0);
    }
  }

  public HttpRequest request(ApiCall call, Duration timeout) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(access.server() + call.target()))
            .timeout(timeout)
            .header("Accept", "application/json")
            .header("User-Agent", AGENT);
    if (!access.token().isEmpty()) {
      request.header("Authorization", "Bearer " + access.token().value());
    }
    return request
        .method(call.verb().method(), body(call))
        .header("Content-Type", call.contentType())
        .build();
  }

  private static HttpRequest.BodyPublisher body(ApiCall call) {
    ObjectNode body = call.body();
    return body == null
        ? HttpRequest.BodyPublishers.noBody()
        : HttpRequest.BodyPublishers.ofString(StoredJson.compact(body));
  }
}
