package io.ocicat.image.registry;

import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.RegistryCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.Map;

/**
 * Requests to one server for one repository: answers challenges, follows redirects. Credentials go
 * to the server they are for and to the server of tokens that it names, never along a redirect.
 * Thread-safe.
 */
final class HostSession implements AutoCloseable {
  private static final int MOST_REDIRECTS = 5;
  private static final int LONGEST_TOKEN = 1 << 20;

  private final RegistryHost host;
  private final ImageReference reference;
  private final RegistrySettings settings;
  private final Authorization authorization;
  private final HttpClient client;

  HostSession(
      RegistryHost host,
      ImageReference reference,
      RegistryCredentials credentials,
      RegistrySettings settings) {
    this.host = host;
    this.reference = reference;
    this.settings = settings;
    this.authorization =
        new Authorization(host, reference.repository(), usable(host, reference, credentials));
    this.client = HttpClients.client(host, settings);
  }

  private static RegistryCredentials usable(
      RegistryHost host, ImageReference reference, RegistryCredentials credentials) {
    if (credentials.server().isEmpty()) {
      return host.mirror() ? RegistryCredentials.NONE : credentials;
    }
    // People give docker's old address with scheme and path.
    String server = credentials.server().replaceFirst("^https?://", "").replaceFirst("/.*$", "");
    boolean ours =
        server.equals(host.name())
            || (!host.mirror() && server.equals(reference.registry()))
            || (!host.mirror()
                && reference.registry().equals(ImageReference.DOCKER_HUB)
                && server.equals("index.docker.io"));
    return ours ? credentials : RegistryCredentials.NONE;
  }

  RegistryHost host() {
    return host;
  }

  /** An answer with status 200 or 206, whose body the caller closes. */
  HttpResponse<InputStream> get(String path, Map<String, String> headers) throws IOException {
    URI uri = uri(path);
    for (int tries = 0; ; tries++) {
      String sent = authorization.header();
      HttpResponse<InputStream> response = follow(uri, headers, sent);
      int status = response.statusCode();
      if (status == 200 || status == 206) {
        return response;
      }
      List<Challenge> challenges =
          Challenge.parse(response.headers().allValues("WWW-Authenticate"));
      response.body().close();
      if (status == 401 && tries < 2 && authorization.answer(challenges, sent, this::token)) {
        continue;
      }
      throw failure(status, path);
    }
  }

  private URI uri(String path) {
    String query = host.mirror() ? "?ns=" + reference.registry() : "";
    return URI.create("%s/%s/%s%s".formatted(host.base(), reference.repository(), path, query));
  }

  private HttpResponse<InputStream> follow(URI start, Map<String, String> headers, String authority)
      throws IOException {
    URI uri = start;
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(settings.noProgress());
      headers.forEach(request::header);
      if (sameServer(uri, start)) {
        host.headers().forEach((name, values) -> values.forEach(v -> request.header(name, v)));
        if (!authority.isEmpty()) {
          request.header("Authorization", authority);
        }
      }
      HttpResponse<InputStream> response =
          send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      int status = response.statusCode();
      if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308) {
        return response;
      }
      response.body().close();
      String location = response.headers().firstValue("Location").orElse("");
      uri = target(uri, location);
    }
    throw new ImageException(
        Reason.FAILED, "%s redirects more than %d times".formatted(host.name(), MOST_REDIRECTS));
  }

  private static boolean sameServer(URI a, URI b) {
    return a.getScheme().equals(b.getScheme()) && a.getAuthority().equals(b.getAuthority());
  }

  private URI target(URI from, String location) {
    try {
      URI target = from.resolve(location);
      boolean encrypted = "https".equals(target.getScheme());
      boolean clear = "http".equals(target.getScheme()) && "http".equals(from.getScheme());
      if (!location.isEmpty() && target.getHost() != null && (encrypted || clear)) {
        return target;
      }
    } catch (IllegalArgumentException _) {
      // As bad as the others.
    }
    throw new ImageException(
        Reason.FAILED, "%s redirects to where nobody can follow".formatted(host.name()));
  }

  private HttpResponse<byte[]> token(HttpRequest request) throws IOException {
    HttpRequest timed =
        HttpRequest.newBuilder(request, (_, _) -> true).timeout(settings.noProgress()).build();
    return send(
        timed,
        HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), LONGEST_TOKEN));
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body)
      throws IOException {
    String server = request.uri().getAuthority();
    try {
      return client.send(request, body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    } catch (HttpTimeoutException e) {
      throw new TransientException(
          "%s does not answer within %d s".formatted(server, settings.noProgress().toSeconds()), e);
    } catch (ConnectException e) {
      throw new TransientException(
          "%s cannot be reached: %s".formatted(server, TransientException.text(e)), e);
    } catch (IOException e) {
      throw new TransientException(server + ": " + TransientException.text(e), e);
    }
  }

  private IOException failure(int status, String path) {
    if (status / 100 == 5 || status == 429 || status == 408) {
      return new TransientException("%s answers with status %d".formatted(host.name(), status));
    }
    throw switch (status) {
      case 401, 403 ->
          new ImageException(
              Reason.UNAUTHORIZED,
              "%s denies access to %s: give credentials that may pull it"
                  .formatted(host.name(), reference));
      case 404 ->
          new ImageException(
              Reason.NOT_FOUND,
              "%s does not have %s of %s".formatted(host.name(), path, reference.repository()));
      default ->
          new ImageException(
              Reason.FAILED,
              "%s answers with status %d to %s of %s"
                  .formatted(host.name(), status, path, reference.repository()));
    };
  }

  @Override
  public void close() {
    // Does not wait for downloads that nobody reads any more.
    client.shutdownNow();
  }
}
