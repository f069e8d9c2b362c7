package dev.colonnade.server.base.config;

import java.time.Duration;

/**
 * How a node encrypts its connections, and what it is told to do without. Clients and other nodes
 * have files of their own, so that a client's certificate never opens the port for nodes.
 */
public final class TlsSettings {

  static final SettingGroup GROUP = new SettingGroup("Encryption");

  private static final ValueForm<String> FILE = ValueForm.text("the path of a file", text -> true);

  /** Whether clients show certificates of their own. */
  public enum ClientCertificates {
    /** They are not asked for one. */
    NONE,
    /** One that they show must be valid. */
    OPTIONAL,
    /** Without a valid one there is no connection. */
    REQUIRED
  }

  /** Has the files of both ports under their usual names; empty for none. */
  public static final Setting<String> DIRECTORY =
      GROUP
          .setting("tls_directory", ValueForm.text("the path of a directory", text -> true), "")
          .element("TlsDirectory")
          .isNew()
          .option("--tls", "DIR")
          .defaultText("none")
          .help(
              "A directory as `colonnade certs node` makes it, with server.pem, server.key and"
                  + " clients-ca.pem for clients, peer.pem, peer.key and peers-ca.pem for other"
                  + " nodes. Switches encryption on for both.");

  /** The certificate that clients see, and those of its authorities but the last. */
  public static final Setting<String> CLIENT_CERTIFICATE =
      GROUP
          .setting("client_tls_certificate", FILE, "")
          .element("ClientTlsCertificate")
          .isNew()
          .option("--client-tls-cert", "FILE")
          .defaultText("`server.pem` in `--tls`, if given")
          .help(
              "The certificate that clients see, in PEM, followed by those of its authorities but"
                  + " the last. Switches TLS 1.3 on for clients and HTTP.");

  /** The private key of that certificate. */
  public static final Setting<String> CLIENT_KEY =
      GROUP
          .setting("client_tls_key", FILE, "")
          .element("ClientTlsKey")
          .isNew()
          .option("--client-tls-key", "FILE")
          .defaultText("`server.key` in `--tls`, if given")
          .help("The private key of that certificate, in PKCS#8 and PEM, not encrypted.");

  /** Whose certificates clients may have. */
  public static final Setting<String> CLIENT_AUTHORITIES =
      GROUP
          .setting("client_tls_authorities", FILE, "")
          .element("ClientTlsAuthorities")
          .isNew()
          .option("--client-tls-ca", "FILE")
          .defaultText("`clients-ca.pem` in `--tls`, if given")
          .help("The authorities whose certificates clients may have, in PEM.");

  /** Whether clients show certificates of their own. */
  public static final Setting<ClientCertificates> CLIENT_CERTIFICATES =
      GROUP
          .setting(
              "client_certificates",
              ValueForm.oneOf(ClientCertificates.class),
              ClientCertificates.NONE)
          .element("ClientCertificates")
          .isNew()
          .option("--client-certificates", "WHETHER")
          .reason("Clients can prove who they are in other ways.")
          .help(
              "Whether clients show a certificate of their own: none are asked for one; optional"
                  + " means that one that is shown must be valid; with required there is no"
                  + " connection without one.");

  /** The certificate that other nodes see. */
  public static final Setting<String> PEER_CERTIFICATE =
      GROUP
          .setting("peer_tls_certificate", FILE, "")
          .element("PeerTlsCertificate")
          .isNew()
          .option("--peer-tls-cert", "FILE")
          .defaultText("`peer.pem` in `--tls`, if given")
          .help(
              "The certificate that other nodes see, in PEM, followed by those of its authorities"
                  + " but the last. It names the cluster and this node's host id. Switches mutual"
                  + " TLS 1.3 on between nodes: all nodes of a cluster have it, or none.");

  /** The private key of that certificate. */
  public static final Setting<String> PEER_KEY =
      GROUP
          .setting("peer_tls_key", FILE, "")
          .element("PeerTlsKey")
          .isNew()
          .option("--peer-tls-key", "FILE")
          .defaultText("`peer.key` in `--tls`, if given")
          .help("The private key of that certificate, in PKCS#8 and PEM, not encrypted.");

  /** Whose certificates other nodes may have. */
  public static final Setting<String> PEER_AUTHORITIES =
      GROUP
          .setting("peer_tls_authorities", FILE, "")
          .element("PeerTlsAuthorities")
          .isNew()
          .option("--peer-tls-ca", "FILE")
          .defaultText("`peers-ca.pem` in `--tls`, if given")
          .help(
              "The authorities whose certificates other nodes may have, in PEM: not those of"
                  + " clients.");

  /** Which certificates of other nodes are revoked. */
  public static final Setting<String> PEER_REVOCATIONS =
      GROUP
          .setting("peer_tls_revocations", FILE, "")
          .element("PeerTlsRevocations")
          .isNew()
          .option("--peer-tls-crl", "FILE")
          .defaultText("`peers-crl.pem` in `--tls`, once there is one")
          .help(
              "The certificates of other nodes that are revoked: lists (X.509 CRL) that their"
                  + " authorities have signed, in PEM. A file that is named here must be there at"
                  + " the start. It is looked at every five seconds; connections with a certificate"
                  + " that is revoked are cut then. A file that cannot be used changes nothing.");

  /** Which certificates of clients are revoked. */
  public static final Setting<String> CLIENT_REVOCATIONS =
      GROUP
          .setting("client_tls_revocations", FILE, "")
          .element("ClientTlsRevocations")
          .isNew()
          .option("--client-tls-crl", "FILE")
          .defaultText("`clients-crl.pem` in `--tls`, once there is one")
          .help("The same for the certificates of clients, where they show some.");

  /** How often the files are looked at. */
  public static final Setting<Duration> RELOAD_PERIOD =
      GROUP
          .setting("tls_reload_period", ValueForm.seconds(1, 86_400), Duration.ofMinutes(1))
          .element("TlsReloadPeriodInSeconds")
          .isNew()
          .option("--tls-reload-period", "SECONDS")
          .reason("Certificates are replaced days before they expire.")
          .help(
              "How often the files of certificates are looked at. New connections have what is in"
                  + " them then; files that cannot be used change nothing, and are logged.");

  /** How long before it expires a certificate is warned of. */
  public static final Setting<Duration> EXPIRY_WARNING =
      GROUP
          .setting("certificate_expiry_warning", ValueForm.days(0, 3_650), Duration.ofDays(30))
          .element("CertificateExpiryWarningInDays")
          .isNew()
          .reason("A month is time to renew it without haste.")
          .help("How many days before a certificate expires the log says so, once a day.");

  /** Whether the node may serve other machines unprotected. */
  public static final Setting<Boolean> INSECURE =
      GROUP
          .setting("insecure", ValueForm.flag(), false)
          .element("Insecure")
          .isNew()
          .option("--insecure", "")
          .reason("Strangers who reach an unprotected port can read and change everything.")
          .help(
              "Whether to serve other machines without encryption, or without asking callers who"
                  + " they are, where the network itself keeps strangers out. Without it, such a"
                  + " node does not start.");

  private TlsSettings() {}
}
