package io.ocicat.datastore.kubernetes.client;

import io.ocicat.base.json.Json;
import io.ocicat.base.yaml.YamlReader;
import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.InvalidException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A parsed kubeconfig.
 *
 * @param source where the text is from, for messages
 * @param directory the base of relative paths in it
 */
public record Kubeconfig(String source, Path directory, JsonNode content) {

  /** Parses a kubeconfig. */
  public static Kubeconfig parse(String source, Path directory, String text) {
    try {
      return new Kubeconfig(source, directory, YamlReader.readTexts(text));
    } catch (IllegalArgumentException e) {
      throw new InvalidException("%s is %s".formatted(source, e.getMessage()), e);
    }
  }

  /**
   * Returns the cluster and the user of a context.
   *
   * @param context empty for the current one
   */
  public ApiAccess access(String context) {
    String wanted = context.isEmpty() ? text(content, "current-context") : context;
    if (wanted.isEmpty()) {
      throw new InvalidException(
          "%s has no current-context: set one (kubectl config use-context), or K8S_CURRENT_CONTEXT"
              .formatted(source));
    }
    JsonNode chosen = entry("contexts", "context", wanted);
    JsonNode cluster = entry("clusters", "cluster", text(chosen, "cluster"));
    String userName = text(chosen, "user");
    JsonNode user = userName.isEmpty() ? Json.object() : entry("users", "user", userName);
    refuse(
        cluster,
        "tls-server-name",
        "cluster",
        "use the name in the server's certificate as its address");
    refuse(user, "exec", "user " + userName, "use a token or a client certificate");
    refuse(user, "auth-provider", "user " + userName, "use a token or a client certificate");
    refuse(user, "username", "user " + userName, "use a token or a client certificate");
    List<Path> files = new ArrayList<>();
    Pem certificate = pem(user, "client-certificate", files);
    Pem key = pem(user, "client-key", files);
    if ((certificate == null) != (key == null)) {
      throw new InvalidException(
          "user %s in %s has only one of client-certificate and client-key: set both or none"
              .formatted(userName, source));
    }
    return new ApiAccess(
        ServerAddress.address(source, text(cluster, "server")),
        text(cluster, "insecure-skip-tls-verify").equals("true"),
        pem(cluster, "certificate-authority", files),
        certificate,
        key,
        token(user, files),
        proxy(text(cluster, "proxy-url")),
        "context %s of %s".formatted(wanted, source),
        files);
  }

  private void refuse(JsonNode of, String member, String whose, String instead) {
    if (of.hasNonNull(member)) {
      throw new InvalidException(
          "%s of %s in %s is not supported: %s".formatted(member, whose, source, instead));
    }
  }

  private JsonNode entry(String list, String member, String name) {
    List<String> names = new ArrayList<>();
    for (JsonNode entry : content.path(list).values()) {
      String found = text(entry, "name");
      if (found.equals(name)) {
        return entry.path(member);
      }
      names.add(found);
    }
    throw new InvalidException(
        "%s has no %s \"%s\": it has %s".formatted(source, member, name, names));
  }

  /** Empty when there is none. */
  private static String text(JsonNode of, String member) {
    return of.path(member).stringValue("");
  }

  /** Base64 data takes precedence over a file, as in kubectl. */
  private @Nullable Pem pem(JsonNode of, String member, List<Path> files) {
    String data = text(of, member + "-data");
    if (!data.isEmpty()) {
      try {
        byte[] bytes = Base64.getMimeDecoder().decode(data);
        return new Pem(
            "%s-data in %s".formatted(member, source),
            new String(bytes, StandardCharsets.ISO_8859_1));
      } catch (IllegalArgumentException e) {
        throw new InvalidException("%s-data in %s is not base64".formatted(member, source), e);
      }
    }
    String file = text(of, member);
    return file.isEmpty() ? null : AccessFiles.pem(member, resolve(file), files);
  }

  /** As in kubectl a file, which may be renewed, takes precedence over a text. */
  private Secret token(JsonNode user, List<Path> files) {
    String file = text(user, "tokenFile");
    return file.isEmpty()
        ? new Secret(text(user, "token"))
        : AccessFiles.token(resolve(file), files);
  }

  private Path resolve(String file) {
    return directory.resolve(file);
  }

  private @Nullable URI proxy(String text) {
    if (text.isEmpty()) {
      return null;
    }
    URI uri = ServerAddress.address(source, text);
    if (!uri.getScheme().equals("http")) {
      throw new InvalidException(
          "proxy-url %s in %s is not supported: it must begin with http://"
              .formatted(text, source));
    }
    return uri;
  }
}
