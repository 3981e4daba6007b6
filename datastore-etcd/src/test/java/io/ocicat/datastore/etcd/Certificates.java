package io.ocicat.datastore.etcd;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An authority of a test's own, made by openssl. */
record Certificates(Path directory) {

  /** With the authority's key and certificate. */
  static Certificates in(Path directory) {
    Certificates certificates = new Certificates(directory);
    certificates.openssl(
        List.of(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            "ca.key",
            "-out",
            "ca.crt",
            "-days",
            "2",
            "-subj",
            "/CN=test authority"));
    return certificates;
  }

  Path ca() {
    return directory.resolve("ca.crt");
  }

  Path certificate(String name) {
    return directory.resolve(name + ".crt");
  }

  Path key(String name) {
    return directory.resolve(name + ".key");
  }

  /** A certificate for 127.0.0.1 with {@code name} as its common name. */
  void issue(String name) {
    issue(name, "20200101000000Z", "20990101000000Z");
  }

  /** One whose time is over. */
  void issueExpired(String name) {
    issue(name, "20200101000000Z", "20210101000000Z");
  }

  private void issue(String name, String from, String to) {
    openssl(
        List.of(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            name + ".key",
            "-out",
            name + ".csr",
            "-subj",
            "/CN=" + name));
    write("index.txt", "");
    write("index.txt.attr", "unique_subject = no\n");
    write(
        "ca.conf",
        """
        [ca]
        default_ca = own
        [own]
        database = index.txt
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = any
        x509_extensions = loopback
        [any]
        commonName = supplied
        [loopback]
        subjectAltName = IP:127.0.0.1
        extendedKeyUsage = serverAuth,clientAuth
        """);
    List<String> sign = new ArrayList<>(List.of("ca", "-batch", "-config", "ca.conf", "-notext"));
    sign.addAll(List.of("-cert", "ca.crt", "-keyfile", "ca.key", "-in", name + ".csr"));
    sign.addAll(List.of("-out", name + ".crt", "-startdate", from, "-enddate", to));
    openssl(sign);
  }

  void openssl(List<String> arguments) {
    List<String> argv = new ArrayList<>(List.of("openssl"));
    argv.addAll(arguments);
    Command.of(argv).in(directory).run();
  }

  private void write(String file, String text) {
    try {
      Files.writeString(directory.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** etcd's options to show {@code server} and to demand certificates of clients. */
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
