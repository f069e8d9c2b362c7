package dev.colonnade.client;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The credentials of TLS connections, which follow the files that they come from. */
final class TlsFiles {

  /** How often the files are looked at: certificates are replaced days before they expire. */
  private static final long PERIOD_MINUTES = 1;

  private TlsFiles() {}

  /**
   * Reads the files, and again when they have changed.
   *
   * @param timer looks at them; it ends with the client
   * @throws UncheckedIOException if a file cannot be read
   * @throws IllegalArgumentException if a file does not hold what it should
   */
  static ChannelCredentials credentials(Tls tls, ScheduledExecutorService timer) {
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    tls.trusted().ifPresent(file -> credentials.trustManager(trust(file, timer)));
    if (tls.certificates().isPresent() && tls.privateKey().isPresent()) {
      credentials.keyManager(identity(tls.certificates().get(), tls.privateKey().get(), timer));
    } else if (tls.certificates().isPresent() || tls.privateKey().isPresent()) {
      throw new IllegalArgumentException(
          "the client's certificate and its private key are used together, and one is missing");
    }
    return credentials.build();
  }

  private static AdvancedTlsX509TrustManager trust(Path file, ScheduledExecutorService timer) {
    try {
      AdvancedTlsX509TrustManager manager = AdvancedTlsX509TrustManager.newBuilder().build();
      var unused =
          manager.updateTrustCredentials(file.toFile(), PERIOD_MINUTES, TimeUnit.MINUTES, timer);
      return manager;
    } catch (IOException e) {
      throw new UncheckedIOException("the trusted certificates cannot be read: " + file, e);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(file + " has no certificates in PEM", e);
    }
  }

  private static AdvancedTlsX509KeyManager identity(
      Path certificates, Path key, ScheduledExecutorService timer) {
    try {
      requireReadable(certificates);
      requireReadable(key);
      AdvancedTlsX509KeyManager manager = new AdvancedTlsX509KeyManager();
      var unused =
          manager.updateIdentityCredentials(
              certificates.toFile(), key.toFile(), PERIOD_MINUTES, TimeUnit.MINUTES, timer);
      return manager;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the client's certificate cannot be read: " + certificates + ", " + key, e);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          certificates + " and " + key + " hold no certificate in PEM and no key in PKCS#8", e);
    }
  }

  /** The library takes a file that is not there for one that has not changed. */
  private static void requireReadable(Path file) throws IOException {
    Files.newInputStream(file).close();
  }
}
