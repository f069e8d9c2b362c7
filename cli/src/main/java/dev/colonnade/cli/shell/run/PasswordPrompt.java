package dev.colonnade.cli.shell.run;

import java.util.Optional;

/** Asks a person for a password, without showing it. */
@FunctionalInterface
public interface PasswordPrompt {

  /** There is nobody to ask. */
  PasswordPrompt NOBODY = prompt -> Optional.empty();

  /**
   * Waits for the answer.
   *
   * @param prompt what is asked, such as {@code Password for bob}; without a colon
   * @return what was typed; empty if there is nobody to ask
   * @throws StatementFailure if the person gave up
   */
  Optional<String> ask(String prompt) throws StatementFailure;
}
