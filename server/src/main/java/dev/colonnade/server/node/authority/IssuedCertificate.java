package dev.colonnade.server.node.authority;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;

/**
 * A certificate with its private key.
 *
 * @param key of the kind EC
 */
record IssuedCertificate(X509Certificate certificate, PrivateKey key) {

  static String pem(String kind, byte[] encoded) {
    Base64.Encoder lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, lines.encodeToString(encoded), kind);
  }

  /** The key in PKCS#8. */
  String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }
}
