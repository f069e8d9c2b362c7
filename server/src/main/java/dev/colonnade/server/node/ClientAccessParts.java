package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.Authenticator;
import dev.colonnade.server.service.accounts.FirstAdministrator;
import dev.colonnade.server.service.accounts.SecretSource;
import dev.colonnade.server.service.accounts.TokenVerifier;
import dev.colonnade.server.service.rpc.ClientAccess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes what lets clients in, from the settings; and the first administrator. */
final class ClientAccessParts {

  private static final Logger LOG = LoggerFactory.getLogger(ClientAccessParts.class);

  /** Longer files than this hold no password. */
  private static final long PASSWORD_FILE_MAX = 4 << 10;

  private ClientAccessParts() {}

  static ClientAccess of(NodeSettings settings, NodeRuntime core, PlugIns plugIns)
      throws NodeStartException {
    Environment environment = core.parts().machine().environment();
    Authentication how = settings.get(AccessSettings.AUTHENTICATION);
    AuditLog audit =
        new AuditLog(
            settings.get(AccessSettings.AUDIT_ALL_CALLS), environment.clock()::monotonicNanos);
    core.liveSettings().follow(AccessSettings.AUDIT_ALL_CALLS, audit::allCalls);
    SecureRandom random = new SecureRandom();
    SecretSource secrets = random::nextBytes;
    Authenticator authenticator =
        new Authenticator(
            core.accounts(),
            new Authenticator.Options(
                how.takesPasswords(),
                how.takesCertificates(),
                settings.get(AccessSettings.PASSWORD_ITERATIONS),
                settings.get(AccessSettings.TOKEN_LIFETIME),
                verifier(settings.get(AccessSettings.TOKEN_VERIFIER), plugIns)),
            environment.clock(),
            environment.scheduler(),
            secrets,
            audit);
    return new ClientAccess(core.accounts(), authenticator, audit, how.isRequired());
  }

  private static Optional<TokenVerifier> verifier(String className, PlugIns plugIns)
      throws NodeStartException {
    if (className.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(plugIns.load(className, TokenVerifier.class));
    } catch (PlugInException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Makes the first administrator where authentication is on and the cluster has no accounts.
   * Blocks. Only a node without other seeds makes up a password: of several that begin at once,
   * each would show one, and one of them would hold.
   *
   * @return the password that was made up, to be shown once
   */
  static Optional<String> firstAdministrator(
      NodeSettings settings, NodeRuntime core, ClientAccess access) throws NodeStartException {
    if (!access.required()) {
      return Optional.empty();
    }
    StartupWait.await(core.accountReplication().compare());
    if (!core.accounts().isEmpty()) {
      return Optional.empty();
    }
    String file = settings.get(AccessSettings.ADMIN_PASSWORD_FILE);
    if (!file.isEmpty()) {
      StartupWait.await(
          new FirstAdministrator(core.accounts(), access.authenticator()).create(password(file)));
      LOG.info("the user {} was made, with the password of a file", FirstAdministrator.NAME);
      return Optional.empty();
    }
    if (hasOtherSeeds(settings, core)) {
      LOG.warn(
          "authentication is on, and the cluster has no accounts: give one of its nodes"
              + " --admin-password-file, or make a user where authentication is off");
      return Optional.empty();
    }
    byte[] random = new byte[15];
    new SecureRandom().nextBytes(random);
    String password = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    StartupWait.await(
        new FirstAdministrator(core.accounts(), access.authenticator()).create(password));
    return Optional.of(password);
  }

  private static boolean hasOtherSeeds(NodeSettings settings, NodeRuntime core) {
    return Seeds.parse(settings.get(ClusterSettings.SEEDS), settings.get(AddressSettings.PEER_PORT))
        .stream()
        .anyMatch(seed -> !seed.equals(core.self().address()));
  }

  private static String password(String file) throws NodeStartException {
    try {
      if (Files.getFileStore(Path.of(file)).supportsFileAttributeView("posix")
          && Files.getPosixFilePermissions(Path.of(file))
              .contains(PosixFilePermission.OTHERS_READ)) {
        throw new NodeStartException(
            "the file with the password of the first administrator can be read by every user of"
                + " this machine: chmod 600 "
                + file);
      }
      if (Files.size(Path.of(file)) > PASSWORD_FILE_MAX) {
        throw new NodeStartException("the file " + file + " is too long for a password");
      }
      return Files.readString(Path.of(file), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new NodeStartException(
          "the password of the first administrator cannot be read from " + file + ": " + e, e);
    }
  }
}
