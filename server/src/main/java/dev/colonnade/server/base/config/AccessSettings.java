package dev.colonnade.server.base.config;

import java.time.Duration;

/** Who may call a node. */
public final class AccessSettings {

  static final SettingGroup GROUP = new SettingGroup("Authentication and the audit log");

  /** How clients say who they are. */
  public enum Authentication {
    /** They do not: every client may do everything. */
    NONE,
    /** By name and password, or by a token that these buy. */
    PASSWORD,
    /** By the certificate of their connection, which needs TLS. */
    CERTIFICATE,
    /** By either. */
    PASSWORD_OR_CERTIFICATE;

    /** Whether clients must say who they are. */
    public boolean isRequired() {
      return this != NONE;
    }

    /** Whether passwords are accepted. */
    public boolean takesPasswords() {
      return this == PASSWORD || this == PASSWORD_OR_CERTIFICATE;
    }

    /** Whether certificates are accepted. */
    public boolean takesCertificates() {
      return this == CERTIFICATE || this == PASSWORD_OR_CERTIFICATE;
    }
  }

  /** How clients say who they are. */
  public static final Setting<Authentication> AUTHENTICATION =
      GROUP
          .setting("authentication", ValueForm.oneOf(Authentication.class), Authentication.NONE)
          .element("ClientAuthentication")
          .isNew()
          .option("--authentication", "HOW")
          .reason("A node that listens on loopback only needs none.")
          .help(
              "How clients say who they are: none, password, certificate or"
                  + " password_or_certificate. With any but none a client may do what it was"
                  + " granted, and nothing else. See docs/accounts.md.");

  /** Holds the password of the first administrator. */
  public static final Setting<String> ADMIN_PASSWORD_FILE =
      GROUP
          .setting("admin_password_file", ValueForm.text("a path", text -> true), "")
          .element("AdminPasswordFile")
          .isNew()
          .option("--admin-password-file", "FILE")
          .defaultText("none: a password is made up and printed once")
          .help(
              "A file with the password of the user admin, who is made at the first start of a"
                  + " cluster that has no accounts, and may do everything. Not read once there are"
                  + " accounts.");

  /** What a hash of a password costs. */
  public static final Setting<Integer> PASSWORD_ITERATIONS =
      GROUP
          .setting("password_iterations", ValueForm.wholeNumber(100_000, 10_000_000), 210_000)
          .element("PasswordIterations")
          .isNew()
          .reason("What OWASP recommends for PBKDF2 with HMAC-SHA-512: some 0.2 s of a processor.")
          .help(
              "How many iterations of PBKDF2 with HMAC-SHA-512 the hash of a password takes. Holds"
                  + " for passwords that are set from then on.");

  /** How long a token is good for. */
  public static final Setting<Duration> TOKEN_LIFETIME =
      GROUP
          .setting("token_lifetime", ValueForm.seconds(60, 2_592_000), Duration.ofHours(1))
          .element("TokenLifetimeInSeconds")
          .isNew()
          .reason("A token that leaks is of use for an hour.")
          .help("How long a token of the call Login is good for.");

  /** The plug-in that knows tokens of others. */
  public static final Setting<String> TOKEN_VERIFIER =
      GROUP
          .setting("token_verifier", ValueForm.text("a class name", text -> true), "")
          .element("TokenVerifier")
          .isNew()
          .defaultText("none")
          .help(
              "The class of a plug-in that says which account a bearer token of another issuer"
                  + " stands for, from a jar in the directory of plug-ins.");

  /** Whether metrics are for everyone. */
  public static final Setting<Boolean> OPEN_METRICS =
      GROUP
          .setting("open_metrics", ValueForm.flag(), false)
          .reason("Metrics name keyspaces, families and nodes.")
          .help(
              "Whether /metrics is served to everyone over HTTP although authentication is on, for"
                  + " monitors that cannot say who they are. The status page is not.");

  /** Whether the audit log has calls on data. */
  public static final Setting<Boolean> AUDIT_ALL_CALLS =
      GROUP
          .setting("audit_all_calls", ValueForm.flag(), false)
          .element("AuditAllCalls")
          .isNew()
          .option("--audit-all-calls", "")
          .reason("A line for each call costs more than the call.")
          .live()
          .help(
              "Whether the audit log has every call. Without it it has changes of the schema, of"
                  + " nodes and of accounts, logins, and what was refused.");

  private AccessSettings() {}
}
