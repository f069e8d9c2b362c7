package dev.colonnade.client;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a client's connections are encrypted: TLS 1.2 or 1.3, where the node's certificate must be
 * one that the client trusts and must name the host that is called. Immutable.
 *
 * <p>Files are PEM. They are read when the client connects first, which fails if they cannot be
 * read, and again each minute if they have changed: new connections have the new certificates, and
 * those that are open go on.
 */
public final class Tls {

  private static final Tls SYSTEM = new Tls(null, null, null, null);

  private final @Nullable Path trusted;
  private final @Nullable Path certificates;
  private final @Nullable Path privateKey;
  private final @Nullable String serverName;

  private Tls(
      @Nullable Path trusted,
      @Nullable Path certificates,
      @Nullable Path privateKey,
      @Nullable String serverName) {
    this.trusted = trusted;
    this.certificates = certificates;
    this.privateKey = privateKey;
    this.serverName = serverName;
  }

  /** Nodes have certificates of an authority that the Java platform trusts. */
  public static Tls system() {
    return SYSTEM;
  }

  /**
   * The same with other authorities.
   *
   * @param certificates their certificates, which replace those of the Java platform
   */
  public Tls withTrusted(Path certificates) {
    return new Tls(certificates, this.certificates, privateKey, serverName);
  }

  /**
   * The same with a certificate by which nodes recognise this client.
   *
   * @param chain the client's certificate, followed by those of its authorities but the last
   * @param key its private key in PKCS#8, not encrypted: "BEGIN PRIVATE KEY"
   */
  public Tls withIdentity(Path chain, Path key) {
    return withCertificates(chain).withPrivateKey(key);
  }

  Tls withCertificates(Path chain) {
    return new Tls(trusted, chain, privateKey, serverName);
  }

  Tls withPrivateKey(Path key) {
    return new Tls(trusted, certificates, key, serverName);
  }

  /**
   * The same for nodes whose certificates all have this name, and not those of their hosts, by
   * which clients call them.
   */
  public Tls withServerName(String name) {
    return new Tls(trusted, certificates, privateKey, name);
  }

  /** The file of trusted authorities; empty for those of the Java platform. */
  public Optional<Path> trusted() {
    return Optional.ofNullable(trusted);
  }

  /** The file of the client's certificate, if it has one. */
  public Optional<Path> certificates() {
    return Optional.ofNullable(certificates);
  }

  /** The file of the client's private key, if it has one. */
  public Optional<Path> privateKey() {
    return Optional.ofNullable(privateKey);
  }

  /** The name that all nodes' certificates have; empty if each has that of its host. */
  public Optional<String> serverName() {
    return Optional.ofNullable(serverName);
  }
}
