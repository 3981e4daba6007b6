package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.config.NamedFile;
import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.InvalidException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Reads files with tokens and certificates, and records each that is read in a list. */
public final class AccessFiles {
  private AccessFiles() {}

  public static String read(String what, Path file, List<Path> read) {
    read.add(file);
    try {
      return NamedFile.read(file);
    } catch (NoSuchFileException e) {
      throw new InvalidException(
          "%s %s does not exist: correct its path or put it there".formatted(what, file), e);
    } catch (IOException e) {
      throw new InvalidException(
          "%s %s cannot be read: %s".formatted(what, file, NamedFile.reason(e)), e);
    }
  }

  public static Pem pem(String what, Path file, List<Path> read) {
    return new Pem(what + " " + file, read(what, file, read));
  }

  public static Secret token(Path file, List<Path> read) {
    String token = read("token", file, read).strip();
    if (token.isEmpty()) {
      throw new InvalidException("token %s is empty: have it written again".formatted(file));
    }
    return new Secret(token);
  }
}
