package dev.colonnade.server.service.accounts;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A plug-in that knows bearer tokens of others, such as JSON Web Tokens of a company's own service.
 * It says which account a token stands for; what that account may do is decided here, and an
 * account that does not exist may do nothing. Thread-safe, with a public constructor without
 * parameters.
 */
public interface TokenVerifier {

  /**
   * The name of the account that a token stands for, empty if the token is not valid. Must not
   * block, and must not log the token. Asked for each call of a session's or a stream's own, so it
   * keeps what it has found out for as long as that is valid.
   */
  CompletionStage<Optional<String>> account(String token);
}
