package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate that a test makes, signed by itself, with its key, as PEM files.
 *
 * @param chain the certificate
 * @param key in PKCS#8
 */
record Certificate(Path chain, Path key) {

  /**
   * Makes one, with the Java platform's own tool.
   *
   * @param subject whom it names, such as {@code ip:127.0.0.1} or {@code dns:node.example}
   */
  static Certificate of(Path folder, String name, String subject) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "it",
                    "-keyalg",
                    "EC",
                    "-groupname",
                    "secp256r1",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "SAN=" + subject,
                    "-validity",
                    "2",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    "secret"))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return write(folder, name, store);
  }

  private static Certificate write(Path folder, String name, Path store)
      throws IOException, GeneralSecurityException {
    char[] password = "secret".toCharArray();
    KeyStore loaded = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      loaded.load(in, password);
    }
    Certificate written =
        new Certificate(folder.resolve(name + ".pem"), folder.resolve(name + ".key"));
    Files.writeString(written.chain, pem("CERTIFICATE", loaded.getCertificate("it").getEncoded()));
    Files.writeString(written.key, pem("PRIVATE KEY", loaded.getKey("it", password).getEncoded()));
    return written;
  }

  private static String pem(String type, byte[] encoded) {
    Base64.Encoder lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(type, lines.encodeToString(encoded), type);
  }
}
