package io.ocicat.ipamserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A PKCS#12 file with a key and its certificate, and the file with its password. */
public record KeyStoreFile(Path keyStore, Path passwordFile) {
  SSLContext context() {
    try {
      char[] password = Files.readString(passwordFile).strip().toCharArray();
      KeyStore keys = KeyStore.getInstance(keyStore.toFile(), password);
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, password);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IpamServerException(
          "cannot use the key store %s with the password in %s: %s"
              .formatted(keyStore, passwordFile, e.getMessage()),
          e);
    }
  }
}
