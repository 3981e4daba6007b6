package io.ocicat.datastore.etcd;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.NamedFile;
import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.error.InvalidException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import javax.net.ssl.SSLException;

/**
 * The certificates and the key of a connection. Read again for each connection, so that renewed
 * ones are used without a restart.
 */
final class TlsFiles {
  private static final String CERTIFICATE = "etcd client certificate";

  private final DatastoreConfig.Tls config;

  TlsFiles(DatastoreConfig.Tls config) {
    this.config = config;
  }

  SslContext context() {
    SslContextBuilder builder =
        GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
    if (!config.caFile().isEmpty() || !config.ca().isEmpty()) {
      builder.trustManager(pem("etcd CA certificate", config.caFile(), config.ca()).certificates());
    }
    if (!config.certFile().isEmpty() || !config.cert().isEmpty()) {
      PrivateKey key = pem("etcd client key", config.keyFile(), config.key().value()).key();
      Pem chain = pem(CERTIFICATE, config.certFile(), config.cert());
      builder.keyManager(key, chain.validCertificates());
    }
    try {
      return builder.build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new InvalidException(
          "etcd certificates cannot be used: %s".formatted(EtcdFailure.firstLine(e)), e);
    }
  }

  private static Pem pem(String what, String file, String text) {
    if (file.isEmpty()) {
      return new Pem(what, text);
    }
    String source = what + " " + file;
    try {
      return new Pem(source, NamedFile.read(Path.of(file)));
    } catch (NoSuchFileException e) {
      throw new InvalidException(source + " does not exist: correct its path or put it there", e);
    } catch (IOException e) {
      throw new InvalidException("%s cannot be read: %s".formatted(source, NamedFile.reason(e)), e);
    }
  }
}
