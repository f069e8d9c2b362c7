package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.node.platform.HostNames;
import dev.colonnade.server.node.platform.OpsPage.PageAnswer;
import dev.colonnade.server.node.platform.OpsPage.PageRequest;
import dev.colonnade.server.node.platform.PageAccess;
import dev.colonnade.server.service.accounts.AuthenticationException;
import dev.colonnade.server.service.accounts.Identity;
import dev.colonnade.server.service.accounts.Permission;
import dev.colonnade.server.service.rpc.CertificateNames;
import dev.colonnade.server.service.rpc.ClientAccess;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Shows the pages for monitors to accounts that may monitor the node: by name and password, by a
 * token or by the certificate of the connection, as with calls. Thread-safe; never blocks.
 */
final class MonitorAccess implements PageAccess {

  private static final String METRICS = "/metrics";

  private static final String OTHER_NAME =
      "this node does not answer under the name in the header Host; use its address, or add the"
          + " name to the setting http_host_names\n";

  private final ClientAccess access;
  private final boolean openMetrics;
  private final HostNames names;

  /**
   * Creates it.
   *
   * @param openMetrics shows the metrics to everyone
   * @param names that requests may be addressed to
   */
  MonitorAccess(ClientAccess access, boolean openMetrics, HostNames names) {
    this.access = access;
    this.openMetrics = openMetrics;
    this.names = names;
  }

  @Override
  public CompletableFuture<Optional<PageAnswer>> refusal(PageRequest request) {
    // Over TLS the browser has found the name in the certificate.
    if (request.session().isEmpty() && !names.include(request.host())) {
      return CompletableFuture.completedFuture(Optional.of(PageAnswer.text(421, OTHER_NAME)));
    }
    if (!access.required() || (openMetrics && request.path().equals(METRICS))) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    List<String> names = request.session().map(CertificateNames::of).orElse(List.<String>of());
    String header = request.authorization().isEmpty() ? null : request.authorization();
    CompletableFuture<Optional<PageAnswer>> decided = new CompletableFuture<>();
    Then.whenDone(
        access.authenticator().identify(header, names, request.address()),
        decided,
        (identity, failure) -> {
          if (failure == null) {
            decided.complete(unlessAllowed(identity, request));
          } else if (Errors.unwrap(failure) instanceof AuthenticationException refused) {
            decided.complete(Optional.of(answer(refused)));
          } else {
            decided.completeExceptionally(failure);
          }
        });
    return decided;
  }

  private Optional<PageAnswer> unlessAllowed(Identity caller, PageRequest request) {
    if (access.accounts().policy().allows(caller.account(), Permission.MONITOR, "", "")) {
      return Optional.empty();
    }
    access
        .audit()
        .denied(caller.account(), request.address(), "HTTP " + request.path(), "needs MONITOR");
    return Optional.of(
        PageAnswer.text(
            403, "this needs the permission MONITOR on the cluster, which was not granted\n"));
  }

  private PageAnswer answer(AuthenticationException refused) {
    String text = refused.getMessage() + "\n";
    return switch (refused.kind()) {
      case MISSING, REFUSED, EXPIRED -> unknown(text);
      case THROTTLED ->
          answer(
              429,
              text,
              Map.of("Retry-After", Long.toString(Math.max(1, refused.retryAfter().toSeconds()))));
      case BUSY ->
          answer(
              503,
              "too many passwords wait to be checked; try again soon\n",
              Map.of("Retry-After", "1"));
    };
  }

  /** Says what would be accepted: a browser asks for name and password if Basic is among it. */
  private PageAnswer unknown(String text) {
    List<String> schemes = new ArrayList<>();
    if (access.authenticator().takesPasswords()) {
      schemes.add("Basic realm=\"Colonnade\", charset=\"UTF-8\"");
    }
    if (access.authenticator().takesTokens()) {
      schemes.add("Bearer realm=\"Colonnade\"");
    }
    if (schemes.isEmpty()) {
      // 401 must offer a scheme, and there is none that would help.
      return PageAnswer.text(
          403, "callers say who they are by the certificate of the connection alone\n");
    }
    return answer(401, text, Map.of("WWW-Authenticate", String.join(", ", schemes)));
  }

  private static PageAnswer answer(int status, String text, Map<String, String> headers) {
    return new PageAnswer(
        status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), headers);
  }
}
