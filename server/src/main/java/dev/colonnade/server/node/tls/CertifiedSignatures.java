package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.gossip.NodeSignatures;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Signs with the certificate for other nodes, as its files last had it, and trusts the same
 * authorities as connections between nodes do. A chain of certificates is checked once.
 * Thread-safe.
 *
 * <p>A certificate that has expired proves what its node signed before: a node that has been down
 * for long keeps its place. It proves nothing of a start after its expiry, because a node does not
 * start with such a certificate.
 */
final class CertifiedSignatures implements NodeSignatures {

  /** As many nodes as are remembered. Each takes some hundred bytes. */
  private static final int KNOWN_MAX = 10_000;

  private static final int CHAIN_MAX = 8;
  private static final int DIGITAL_SIGNATURE = 0;

  private final PortCertificates certificates;
  private final CertifiedNode self;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Trusted> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Trusted> eldest) {
          return size() > KNOWN_MAX;
        }
      };
  private PemFiles.Contents knownFor;
  private volatile OwnIdentity identity;

  /** A certificate whose chain was checked. */
  private record Trusted(CertifiedNode node, PublicKey key, Instant notAfter) {}

  private record OwnIdentity(PemFiles.Contents contents, String certificate)
      implements SigningIdentity {

    @Override
    public byte[] sign(byte[] content) {
      try {
        Signature signing = Signature.getInstance(PemFiles.signatureOf(contents.key()));
        signing.initSign(contents.key());
        signing.update(content);
        return signing.sign();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("the key was tried when it was read", e);
      }
    }
  }

  CertifiedSignatures(PortCertificates certificates, CertifiedNode self, Clock clock) {
    this.certificates = certificates;
    this.self = self;
    this.clock = clock;
    this.knownFor = certificates.contents();
    this.identity = new OwnIdentity(knownFor, text(knownFor.chain()));
  }

  private static String text(List<X509Certificate> chain) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (X509Certificate each : chain) {
      try {
        bytes.writeBytes(each.getEncoded());
      } catch (CertificateEncodingException e) {
        throw new IllegalStateException("the certificate was read from its encoded form", e);
      }
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
  }

  @Override
  public SigningIdentity identity() {
    PemFiles.Contents now = certificates.contents();
    OwnIdentity last = identity;
    if (!last.contents().equals(now)) {
      last = new OwnIdentity(now, text(now.chain()));
      identity = last;
    }
    return last;
  }

  @Override
  public byte[] secret(int length) {
    byte[] secret = new byte[length];
    random.nextBytes(secret);
    return secret;
  }

  @Override
  public Optional<String> refusal(SignedStatement statement) {
    Trusted trusted;
    try {
      trusted = trusted(statement.certificate());
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return Optional.of("its certificate is not trusted (" + e.getClass().getSimpleName() + ")");
    }
    if (!trusted.node().hostId().equals(statement.nodeId())
        || !trusted.node().clusterName().equals(self.clusterName())) {
      return Optional.of("it is signed with the certificate of another node");
    }
    if (Instant.ofEpochSecond(statement.generation()).isAfter(trusted.notAfter())) {
      return Optional.of("it is signed with a certificate that expired before the node's start");
    }
    return isSigned(statement, trusted.key())
        ? Optional.empty()
        : Optional.of("its signature is not of what is told");
  }

  private static boolean isSigned(SignedStatement statement, PublicKey key) {
    try {
      Signature verifying = Signature.getInstance(PemFiles.signatureOf(key));
      verifying.initVerify(key);
      verifying.update(statement.content());
      return verifying.verify(statement.signature());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private synchronized Trusted trusted(String text) throws GeneralSecurityException {
    PemFiles.Contents now = certificates.contents();
    if (!knownFor.equals(now)) {
      if (!knownFor.authorities().equals(now.authorities())) {
        known.clear();
      }
      knownFor = now;
    }
    String name =
        HexFormat.of()
            .formatHex(
                MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.US_ASCII)));
    Trusted found = known.get(name);
    if (found == null) {
      found = check(text, now.authorities());
      known.put(name, found);
    }
    return found;
  }

  private Trusted check(String text, List<X509Certificate> authorities)
      throws GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> chain = new ArrayList<>();
    for (Certificate each :
        factory.generateCertificates(
            new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
      if (chain.size() == CHAIN_MAX || !(each instanceof X509Certificate certificate)) {
        throw new CertificateException("no chain of certificates");
      }
      chain.add(certificate);
    }
    if (chain.isEmpty()) {
      throw new CertificateException("no certificate");
    }
    X509Certificate leaf = chain.get(0);
    boolean[] usage = leaf.getKeyUsage();
    if (usage != null && !usage[DIGITAL_SIGNATURE]) {
      throw new CertificateException("a certificate that is not for signatures");
    }
    Instant notAfter =
        chain.stream()
            .map(each -> each.getNotAfter().toInstant())
            .min(Instant::compareTo)
            .orElseThrow();
    Instant now = Instant.ofEpochSecond(clock.wallSeconds());
    PKIXParameters wanted =
        new PKIXParameters(
            authorities.stream()
                .map(authority -> new TrustAnchor(authority, null))
                .collect(Collectors.toSet()));
    wanted.setRevocationEnabled(false);
    wanted.setDate(Date.from(now.isBefore(notAfter) ? now : notAfter));
    var unused =
        CertPathValidator.getInstance("PKIX").validate(factory.generateCertPath(chain), wanted);
    CertifiedNode node =
        CertifiedNode.in(leaf)
            .orElseThrow(() -> new CertificateException("a certificate that names no node"));
    return new Trusted(node, leaf.getPublicKey(), notAfter);
  }
}
