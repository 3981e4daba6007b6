package io.ocicat.image.registry;

import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Makes HTTP clients that trust what a host's settings say. */
final class HttpClients {
  private HttpClients() {}

  /** Redirects are followed by the caller, who keeps credentials from other hosts. */
  static HttpClient client(RegistryHost host, RegistrySettings settings) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .connectTimeout(settings.connectTimeout())
            .proxy(new EnvironmentProxies(settings.environment()))
            .followRedirects(HttpClient.Redirect.NEVER)
            // One connection that stalls must not take the other downloads with it.
            .version(HttpClient.Version.HTTP_1_1);
    if (host.unverified() || !host.authorities().isEmpty()) {
      builder.sslContext(context(host));
    }
    return builder.build();
  }

  private static SSLContext context(RegistryHost host) {
    try {
      TrustManager[] trust =
          host.unverified()
              ? new TrustManager[] {new TrustsAnybody()}
              : authorities(host).getTrustManagers();
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new ImageException(
          Reason.INVALID,
          "the certificates of %s %s cannot be used: %s"
              .formatted(host.name(), host.authorities(), e.getMessage()),
          e);
    }
  }

  /** The usual authorities and those of the host. */
  private static TrustManagerFactory authorities(RegistryHost host)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int count = 0;
    TrustManagerFactory usual = factory(null);
    for (TrustManager manager : usual.getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        for (X509Certificate certificate : x509.getAcceptedIssuers()) {
          store.setCertificateEntry("usual-" + count++, certificate);
        }
      }
    }
    for (Path file : host.authorities()) {
      try (InputStream in = Files.newInputStream(file)) {
        for (Certificate certificate :
            CertificateFactory.getInstance("X.509").generateCertificates(in)) {
          store.setCertificateEntry("own-" + count++, certificate);
        }
      }
    }
    return factory(store);
  }

  private static TrustManagerFactory factory(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }

  /** For hosts with {@code skip_verify}. What is fetched is still verified by its digest. */
  private static final class TrustsAnybody extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
