package io.ocicat.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A certificate authority for a test, created with openssl. */
public record CertificateAuthority(Path directory) {

  /** Creates an authority with its key and certificate in this directory. */
  public static CertificateAuthority in(Path directory) {
    CertificateAuthority authority = new CertificateAuthority(directory);
    authority.openssl(
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
    return authority;
  }

  /** Its certificate. */
  public Path ca() {
    return directory.resolve("ca.crt");
  }

  /** An issued certificate. */
  public Path certificate(String name) {
    return directory.resolve(name + ".crt");
  }

  /** The key of an issued certificate. */
  public Path key(String name) {
    return directory.resolve(name + ".key");
  }

  /** A certificate for 127.0.0.1 with {@code name} as its common name. */
  public void issue(String name) {
    issue(name, "20200101000000Z", "20990101000000Z");
  }

  /** An expired certificate. */
  public void issueExpired(String name) {
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

  /** Runs openssl in its directory. */
  public void openssl(List<String> arguments) {
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
}
