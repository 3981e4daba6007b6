package io.ocicat.datastore.etcd;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.testkit.CertificateAuthority;
import java.nio.file.Path;
import java.util.List;

/** A certificate authority of the test, with options for etcd and its clients. */
record Certificates(CertificateAuthority authority) {

  /** Creates the authority's key and certificate. */
  static Certificates in(Path directory) {
    return new Certificates(CertificateAuthority.in(directory));
  }

  Path directory() {
    return authority.directory();
  }

  Path ca() {
    return authority.ca();
  }

  Path certificate(String name) {
    return authority.certificate(name);
  }

  Path key(String name) {
    return authority.key(name);
  }

  void issue(String name) {
    authority.issue(name);
  }

  void issueExpired(String name) {
    authority.issueExpired(name);
  }

  void openssl(List<String> arguments) {
    authority.openssl(arguments);
  }

  /** etcd's options to present {@code server} and to require client certificates. */
  String[] serverOptions(String server) {
    return new String[] {
      "--cert-file",
      certificate(server).toString(),
      "--key-file",
      key(server).toString(),
      "--client-cert-auth",
      "--trusted-ca-file",
      ca().toString()
    };
  }

  DatastoreConfig.Tls client(String name) {
    return new DatastoreConfig.Tls(
        key(name).toString(),
        certificate(name).toString(),
        ca().toString(),
        new Secret(""),
        "",
        "");
  }

  DatastoreConfig.Tls caOnly() {
    return new DatastoreConfig.Tls("", "", ca().toString(), new Secret(""), "", "");
  }
}
