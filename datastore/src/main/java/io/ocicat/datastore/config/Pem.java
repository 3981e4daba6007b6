package io.ocicat.datastore.config;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnauthorizedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Certificates and keys from PEM text. Java itself reads only keys in PKCS #8, while the tools that
 * users of etcd and Kubernetes have (cfssl, openssl) mostly write the older forms of RSA (PKCS #1)
 * and of elliptic curves (SEC 1): those are wrapped into PKCS #8 (RFC 5208 and RFC 5915).
 *
 * @param source where the text is from, for messages
 */
public record Pem(String source, String text) {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int OBJECT_ID = 0x06;
  private static final int PARAMETERS = 0xa0;
  private static final byte[] VERSION_0 = {2, 1, 0};

  /** 1.2.840.113549.1.1.1 with its NULL parameters. */
  private static final byte[] RSA = {
    6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1, 5, 0
  };

  /** 1.2.840.10045.2.1, whose parameters are the curve. */
  private static final byte[] ELLIPTIC = {6, 7, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};

  /** Returns all certificates, at least one. */
  public X509Certificate[] certificates() {
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      List<X509Certificate> certificates = new ArrayList<>();
      Matcher block = BLOCK.matcher(text);
      while (block.find()) {
        if (block.group(1).equals("CERTIFICATE")) {
          certificates.add(
              (X509Certificate)
                  factory.generateCertificate(new ByteArrayInputStream(decode(block.group(2)))));
        }
      }
      if (!certificates.isEmpty()) {
        return certificates.toArray(X509Certificate[]::new);
      }
    } catch (CertificateException e) {
      throw new InvalidException(
          "%s has a certificate that cannot be read: %s".formatted(source, e.getMessage()), e);
    }
    throw new InvalidException(
        "%s has no certificate: it must be PEM, beginning with -----BEGIN CERTIFICATE-----"
            .formatted(source));
  }

  /**
   * Returns all certificates, the first of which is valid now.
   *
   * @throws UnauthorizedException when it is not
   */
  public X509Certificate[] validCertificates() {
    X509Certificate[] chain = certificates();
    try {
      chain[0].checkValidity();
      return chain;
    } catch (CertificateExpiredException e) {
      throw new UnauthorizedException(
          "%s has expired on %s: renew it".formatted(source, chain[0].getNotAfter().toInstant()),
          e);
    } catch (CertificateNotYetValidException e) {
      throw new UnauthorizedException(
          "%s is valid only from %s: check this machine's clock"
              .formatted(source, chain[0].getNotBefore().toInstant()),
          e);
    }
  }

  /** Returns the first private key. */
  public PrivateKey key() {
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      byte[] content = decode(block.group(2));
      switch (block.group(1)) {
        case "PRIVATE KEY" -> {
          return parse(content);
        }
        case "RSA PRIVATE KEY" -> {
          return parse(pkcs8(RSA, content));
        }
        case "EC PRIVATE KEY" -> {
          return parse(pkcs8(join(ELLIPTIC, curve(content)), content));
        }
        case "ENCRYPTED PRIVATE KEY" ->
            throw new InvalidException(
                source + " is encrypted: write it without a pass phrase (openssl pkey)");
        default -> {}
      }
    }
    throw new InvalidException(
        "%s has no private key: it must be PEM, beginning with -----BEGIN PRIVATE KEY-----"
            .formatted(source));
  }

  private PrivateKey parse(byte[] pkcs8) {
    PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(pkcs8);
    for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (GeneralSecurityException _) {
        // The next algorithm may accept it.
      }
    }
    throw new InvalidException(
        source + " has a private key that cannot be read: it must be RSA, EC or Ed25519");
  }

  private static byte[] pkcs8(byte[] algorithm, byte[] key) {
    return element(
        SEQUENCE, join(VERSION_0, element(SEQUENCE, algorithm), element(OCTET_STRING, key)));
  }

  /** The object identifier in the key's parameters. */
  private byte[] curve(byte[] key) {
    for (int at = 0; at + 4 < key.length; at++) {
      int length = key[at + 3];
      if ((key[at] & 0xff) == PARAMETERS
          && key[at + 2] == OBJECT_ID
          && key[at + 1] == length + 2
          && at + 4 + length <= key.length) {
        return Arrays.copyOfRange(key, at + 2, at + 4 + length);
      }
    }
    throw new InvalidException(
        source + " does not name its curve: convert it (openssl pkcs8 -topk8 -nocrypt)");
  }

  /** Encodes one DER element. */
  private static byte[] element(int tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (content.length < 0x80) {
      out.write(content.length);
    } else {
      // Keys are far below 64 KiB.
      out.write(0x82);
      out.write(content.length >>> 8);
      out.write(content.length);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private byte[] decode(String base64) {
    try {
      return Base64.getMimeDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII));
    } catch (IllegalArgumentException e) {
      throw new InvalidException(source + " is not PEM: " + e.getMessage(), e);
    }
  }
}
