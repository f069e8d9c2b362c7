package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.grammar.SyntaxException;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Statements about accounts, on a node that asks who calls; passwords stay where they belong. */
@Timeout(120)
final class AccountStatementsTest {

  private static final String ADMIN = "the administrator's word";

  @TempDir private static Path temporary;

  private static Node node;

  private final Deque<String> typed = new ArrayDeque<>();
  private final List<String> prompts = new ArrayList<>();

  @BeforeAll
  static void startNode() throws Exception {
    Path password = secret("admin", ADMIN);
    node =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(temporary.resolve("data"))
                .withText(AccessSettings.AUTHENTICATION, "password")
                .withText(AccessSettings.PASSWORD_ITERATIONS, "100000")
                .withText(AccessSettings.ADMIN_PASSWORD_FILE, password.toString())
                .withFreePorts());
  }

  @AfterAll
  static void stopNode() throws Exception {
    node.close();
  }

  private static Path secret(String name, String text) throws Exception {
    Path file = Files.writeString(temporary.resolve(name), text + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private ShellRun shell;

  @BeforeEach
  void connect() {
    shell = new ShellRun(node.clientPort());
    shell
        .interpreter()
        .session()
        .usePrompt(
            prompt -> {
              prompts.add(prompt);
              return Optional.ofNullable(typed.poll());
            });
  }

  @AfterEach
  void disconnect() {
    shell.close();
  }

  @Test
  void loginSaysWhoCallsAndLogoutForgetsIt() throws Exception {
    String before = shell.answerOrFailure("show users;");
    assertTrue(before.contains("login NAME"), before);
    typed.add("a wrong word, really");
    String refused = shell.answerOrFailure("login admin;");
    assertTrue(refused.startsWith("! "), refused);
    typed.add(ADMIN);
    assertEquals("Logged in as admin.\n", shell.answerOrFailure("login admin;"));
    assertTrue(shell.answer("whoami;").contains("User: admin"));
    assertEquals("Logged out.\n", shell.answer("logout;"));
    assertTrue(shell.answerOrFailure("show users;").contains("login NAME"));
    assertEquals(List.of("Password for admin", "Password for admin"), prompts);
  }

  @Test
  void nobodyToAskIsAFailureThatSaysWhatToDo() {
    String failed = shell.answerOrFailure("login admin;");
    assertTrue(failed.contains("--password-file"), failed);
  }

  @Test
  void aUserIsMadeChangesItsPasswordAndIsLockedOut() throws Exception {
    logIn("admin", ADMIN);
    typed.addAll(List.of("the first word", "another word"));
    String differ = shell.answerOrFailure("create user bob;");
    assertTrue(differ.contains("differ"), differ);
    typed.addAll(List.of("the first word", "the first word"));
    assertEquals("User bob created.\n", shell.answerOrFailure("create user bob;"));

    logIn("bob", "the first word");
    assertTrue(shell.answerOrFailure("create role any;").contains("AUTHORIZE"));
    typed.addAll(List.of("the first word", "the second word", "the second word"));
    assertEquals("User bob altered.\n", shell.answerOrFailure("alter user bob password;"));
    assertTrue(shell.answerOrFailure("whoami;").contains("User: bob"), "the session goes on");

    logIn("admin", ADMIN);
    Path file = secret("bob", "the third word");
    assertEquals(
        "User bob altered.\n",
        shell.answerOrFailure("alter user bob with password_file = '" + file + "';"));
    logIn("bob", "the third word");
    logIn("admin", ADMIN);
    assertEquals("User bob altered.\n", shell.answer("alter user bob with locked = true;"));
    typed.add("the third word");
    assertTrue(shell.answerOrFailure("login bob;").startsWith("! "));
    assertTrue(shell.answerOrFailure("drop role bob;").contains("drop user bob"));
    assertEquals("User bob dropped.\n", shell.answer("drop user bob;"));
  }

  @Test
  void grantsHoldAndAreShown() throws Exception {
    logIn("admin", ADMIN);
    Path file = secret("carol", "the word of carol");
    assertEquals(
        "User carol created.\nRole editors created.\n",
        shell.answer(
            "create user carol with password_file = '" + file + "'; create role editors;"));
    assertEquals(
        """
        Granted READ, WRITE on keyspace Blog to editors.
        Granted READ, WRITE, SCHEMA, TRUNCATE on column family Blog.Drafts to carol.
        carol is a member of editors.
        """,
        shell.answer(
            "grant READ, write on Blog to editors; grant ALL on column family Blog.Drafts to carol;"
                + " grant role editors to carol;"));
    String shown = shell.answer("list permissions of carol;");
    assertTrue(shown.contains("keyspace Blog") && shown.contains("editors"), shown);
    assertTrue(shell.answer("show roles of carol;").contains("editors"));
    assertTrue(shell.answer("show users of editors;").contains("carol"));
    assertEquals(
        "Revoked WRITE on keyspace Blog from editors.\ncarol is no member of editors.\n",
        shell.answer(
            "revoke WRITE on keyspace Blog from editors; revoke role editors from carol;"));
    assertFalse(shell.answer("show permissions of carol;").contains("editors"));
    assertTrue(shell.answerOrFailure("show roles of nobody;").contains("no user or role nobody"));
  }

  /** In other stores users is a word of the language; here a family may be called so. */
  @Test
  void aFamilyThatIsCalledUsersIsListedWhereItIsInUse() throws Exception {
    logIn("admin", ADMIN);
    assertTrue(shell.answer("list users;").contains("admin"));
    shell.answer("create keyspace Named; use Named; create column family users;");
    assertFalse(shell.answer("list users;").contains("admin"));
    assertTrue(shell.answer("show users;").contains("admin"));
  }

  @Test
  void noPasswordIsPrintedCapturedOrPartOfAStatement() throws Exception {
    Path captured = temporary.resolve("captured");
    logIn("admin", ADMIN);
    String word = "the word of erin";
    shell.answer("capture '" + captured + "';");
    typed.addAll(List.of(word, word));
    String answers = shell.answer("create user erin; show users; show permissions of erin;");
    logIn("erin", word);
    answers += shell.answer("whoami; capture off;");
    assertFalse(answers.contains(word), answers);
    assertFalse(Files.readString(captured).contains(word));
    for (String statement :
        List.of(
            "create user erin with password = 's3cret word';",
            "alter user erin with password = s3cret_word;",
            "login erin s3cret_word;")) {
      SyntaxException refused =
          assertThrows(SyntaxException.class, () -> StatementReader.parseAll(statement), statement);
      assertFalse(refused.problem().contains("s3cret"), refused.problem());
    }
  }

  @Test
  void aNodeTakesNoAdministratorFromAFileThatEveryoneCanRead() throws Exception {
    Path file = secret("shown", "a word for everyone");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(temporary.resolve("other"))
            .withText(AccessSettings.AUTHENTICATION, "password")
            .withText(AccessSettings.ADMIN_PASSWORD_FILE, file.toString())
            .withFreePorts();
    NodeStartException refused =
        assertThrows(NodeStartException.class, () -> Node.start(options).close());
    assertTrue(String.valueOf(refused.getMessage()).contains("chmod 600"), refused::toString);
  }

  @Test
  void aFileThatEveryoneCanReadIsRefused() throws Exception {
    logIn("admin", ADMIN);
    Path file = secret("open", "the word of frank");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    String refused =
        shell.answerOrFailure("create user frank with password_file = '" + file + "';");
    assertTrue(refused.contains("chmod 600"), refused);
    assertFalse(shell.answer("show users;").contains("frank"));
  }

  private void logIn(String user, String password) {
    typed.add(password);
    assertEquals("Logged in as " + user + ".\n", shell.answerOrFailure("login " + user + ";"));
  }
}
