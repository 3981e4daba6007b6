package io.ocicat.agent.bgp;

import io.ocicat.agent.view.SecretEntry;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.ClusterSecrets;
import io.ocicat.datastore.error.DatastoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where Secrets are read from; may take a while. */
@FunctionalInterface
public interface SecretSource {
  /** An entry that cannot be read now, perhaps later. */
  final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnavailableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  BgpSecrets.Answer read(SecretEntry entry) throws UnavailableException;

  /** The Kubernetes API, else a folder that is laid out as a mounted Secret is. */
  static SecretSource of(Cluster cluster, BgpSettings settings) {
    return cluster
        .secrets()
        .map(secrets -> ofApi(secrets, settings.namespace()))
        .orElseGet(() -> ofFolder(settings.secrets()));
  }

  private static SecretSource ofApi(ClusterSecrets secrets, String namespace) {
    return entry -> {
      try {
        Optional<Map<String, String>> secret = secrets.secret(namespace, entry.name());
        if (secret.isEmpty()) {
          return new BgpSecrets.Answer.Missing(
              "does not exist: create the Secret in namespace " + namespace);
        }
        String text = secret.get().get(entry.key());
        return text == null
            ? new BgpSecrets.Answer.Missing("does not exist, but the secret does: add the entry")
            : new BgpSecrets.Answer.Found(text);
      } catch (DatastoreException | IllegalStateException e) {
        throw new UnavailableException("cannot be read: " + e.getMessage(), e);
      }
    };
  }

  /** Files {@code <folder>/<name>/<key>}. */
  static SecretSource ofFolder(Path folder) {
    Pattern name = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9._-]+");
    return entry -> {
      if (!name.matcher(entry.name()).matches() || !name.matcher(entry.key()).matches()) {
        return new BgpSecrets.Answer.Missing(
            "has a name that is not valid: use letters, digits, \".\", \"_\" and \"-\"");
      }
      Path file = folder.resolve(entry.name()).resolve(entry.key());
      try {
        return new BgpSecrets.Answer.Found(Files.readString(file));
      } catch (NoSuchFileException _) {
        return new BgpSecrets.Answer.Missing("does not exist: write it to " + file);
      } catch (IOException e) {
        throw new UnavailableException("cannot be read: " + e, e);
      }
    };
  }
}
