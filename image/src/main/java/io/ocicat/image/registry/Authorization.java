package io.ocicat.image.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.json.JsonFields;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.manifest.Manifest;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Answers the challenges of one server: with name and password, or with a token from the server
 * that the challenge names. Thread-safe.
 */
final class Authorization {
  private final RegistryHost host;
  private final String repository;
  private final RegistryCredentials credentials;
  private String header = "";

  /** Asks a server of tokens. */
  interface Sender {
    HttpResponse<byte[]> send(HttpRequest request) throws IOException;
  }

  Authorization(RegistryHost host, String repository, RegistryCredentials credentials) {
    this.host = host;
    this.repository = repository;
    this.credentials = credentials;
    if (!credentials.registryToken().isEmpty() && credentials.username().isEmpty()) {
      this.header = "Bearer " + credentials.registryToken();
    }
  }

  /** Empty if nothing was asked for. */
  synchronized String header() {
    return header;
  }

  /**
   * Prepares the header that a server asked for.
   *
   * @param refused the header that was sent and refused, empty if none was
   * @return whether there is a reason to try again
   */
  synchronized boolean answer(List<Challenge> challenges, String refused, Sender sender)
      throws IOException {
    if (!header.equals(refused)) {
      // Another thread has got a new one meanwhile.
      return true;
    }
    for (Challenge challenge : challenges) {
      if (challenge.scheme().equals("bearer") && !challenge.parameter("realm").isEmpty()) {
        String fresh = "Bearer " + token(challenge, sender);
        boolean changed = !fresh.equals(refused);
        header = fresh;
        return changed;
      }
      if (challenge.scheme().equals("basic") && !credentials.username().isEmpty()) {
        String basic = basic();
        boolean changed = !basic.equals(refused);
        header = basic;
        return changed;
      }
    }
    return false;
  }

  private String basic() {
    String both = credentials.username() + ":" + credentials.password();
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8));
  }

  private String token(Challenge challenge, Sender sender) throws IOException {
    URI realm = realm(challenge.parameter("realm"));
    String scope = challenge.parameter("scope");
    List<String> query = new ArrayList<>();
    if (!challenge.parameter("service").isEmpty()) {
      query.add("service=" + encoded(challenge.parameter("service")));
    }
    query.add(
        "scope=" + encoded(scope.isEmpty() ? "repository:%s:pull".formatted(repository) : scope));
    HttpRequest.Builder request = HttpRequest.newBuilder();
    if (!credentials.identityToken().isEmpty() && credentials.username().isEmpty()) {
      query.add("grant_type=refresh_token");
      query.add("client_id=ocicat");
      query.add("refresh_token=" + encoded(credentials.identityToken()));
      request
          .uri(realm)
          .header("Content-Type", "application/x-www-form-urlencoded")
          .POST(HttpRequest.BodyPublishers.ofString(String.join("&", query)));
    } else {
      String separator = realm.getRawQuery() == null ? "?" : "&";
      request.uri(URI.create(realm + separator + String.join("&", query)));
      if (!credentials.username().isEmpty()) {
        request.header("Authorization", basic());
      }
    }
    HttpResponse<byte[]> response = sender.send(request.build());
    if (response.statusCode() / 100 == 5 || response.statusCode() == 429) {
      throw new TransientException(
          "%s answers %d".formatted(realm.getAuthority(), response.statusCode()));
    }
    if (response.statusCode() != 200) {
      throw new ImageException(
          Reason.UNAUTHORIZED,
          "%s refuses a token for %s with status %d: check the credentials"
              .formatted(realm.getAuthority(), repository, response.statusCode()));
    }
    String token =
        Manifest.document(
            response.body(), "the token of " + realm.getAuthority(), Authorization::read);
    if (token.isEmpty() || !token.matches("[\\x21-\\x7e]+")) {
      throw new ImageException(
          Reason.FAILED, "%s answers without a token".formatted(realm.getAuthority()));
    }
    return token;
  }

  private static String read(JsonFields in) {
    String token = in.text("token").or("");
    return token.isEmpty() ? in.text("access_token").or("") : token;
  }

  /** A password leaves the machine encrypted, unless the registry itself is spoken to in clear. */
  private URI realm(String text) {
    URI realm;
    try {
      realm = URI.create(text);
    } catch (IllegalArgumentException e) {
      throw new ImageException(
          Reason.FAILED, "%s names an invalid server of tokens".formatted(host.name()), e);
    }
    boolean encrypted = "https".equals(realm.getScheme());
    boolean clear =
        "http".equals(realm.getScheme())
            && realm.getAuthority() != null
            && (RegistryHost.isLoopback(realm.getAuthority())
                || "http".equals(host.base().getScheme()));
    if (realm.getHost() == null || !(encrypted || clear)) {
      throw new ImageException(
          Reason.FAILED,
          "%s names a server of tokens that is not encrypted: %s".formatted(host.name(), realm));
    }
    return realm;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
