package dev.colonnade.cli.shell.terminal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretFreeHistoryTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create user bob with password = 'x y z';",
        "create user bob with superuser = true and password=word;",
        "ALTER USER bob PASSWORD 'word';",
        "alter user bob password word;",
        "create user bob identified by 'word';",
        "use K; login bob word;",
        "create user bob\n  with password = 'word';",
      })
  void aStatementWithAPasswordIsNotKept(String typed) {
    assertTrue(SecretFreeHistory.hasSecret(typed));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "login bob;",
        "create user bob;",
        "create user bob with password_file = '/run/bob';",
        "create user bob with password = none and locked = true;",
        "alter user bob password;",
        "alter user bob password with password_file = '/run/bob';",
        "get Users['password']['login'];",
        "set Users['a']['password'] = 'b';",
      })
  void othersAre(String typed) {
    assertFalse(SecretFreeHistory.hasSecret(typed));
  }
}
