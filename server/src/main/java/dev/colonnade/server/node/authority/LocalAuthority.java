package dev.colonnade.server.node.authority;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1String;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CRLConverter;
import org.bouncycastle.cert.jcajce.JcaX509CRLHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * An authority that signs certificates with a key of its own, on the curve P-256. Immutable.
 *
 * @param self its own certificate, which whoever trusts it has, and its key, which signs
 */
record LocalAuthority(IssuedCertificate self) {

  /** What a certificate is for. */
  enum Use {
    /** To accept connections. */
    SERVER,
    /** To open connections. */
    CLIENT,
    /** Both, as nodes do with each other. */
    PEER
  }

  /**
   * What a certificate says.
   *
   * @param name of its owner, for people and as a client's identity
   * @param hosts names and addresses by which the owner is called
   * @param uri a name of the kind URI
   */
  record Subject(String name, List<String> hosts, Optional<String> uri) {}

  /** Clocks of other machines may be behind. */
  private static final Duration BEHIND_MAX = Duration.ofHours(1);

  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");
  private static final int SERIAL_BITS = 120;
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * Makes an authority.
   *
   * @param name of the authority
   * @param organisation whose it is
   */
  static LocalAuthority create(String name, String organisation, Instant now, Duration validity) {
    X500Name subject =
        new X500NameBuilder(BCStyle.INSTANCE)
            .addRDN(BCStyle.O, organisation)
            .addRDN(BCStyle.CN, name)
            .build();
    KeyPair keys = keys();
    return new LocalAuthority(selfSigned(subject, keys, now, validity));
  }

  /** The same authority, with the same key, for longer: what it signed stays valid. */
  LocalAuthority renewed(Instant now, Duration validity) {
    return new LocalAuthority(
        selfSigned(
            subject(self.certificate()),
            new KeyPair(self.certificate().getPublicKey(), self.key()),
            now,
            validity));
  }

  private static IssuedCertificate selfSigned(
      X500Name subject, KeyPair keys, Instant now, Duration validity) {
    X509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            subject,
            serial(),
            Date.from(now.minus(BEHIND_MAX)),
            Date.from(now.plus(validity)),
            subject,
            keys.getPublic());
    add(builder, Extension.basicConstraints, true, new BasicConstraints(0));
    add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
    add(
        builder,
        Extension.subjectKeyIdentifier,
        false,
        extensions().createSubjectKeyIdentifier(keys.getPublic()));
    return signed(builder, keys.getPrivate(), keys.getPrivate());
  }

  /** Whose authority it is. */
  String organisation() {
    RDN[] found = subject(self.certificate()).getRDNs(BCStyle.O);
    return found.length > 0 && found[0].getFirst().getValue() instanceof ASN1String text
        ? text.getString()
        : "";
  }

  /** Signs a certificate with a new key. */
  IssuedCertificate issue(Subject subject, Use use, Instant now, Duration validity) {
    List<GeneralName> names = new ArrayList<>();
    for (String host : subject.hosts()) {
      boolean address = ADDRESS.matcher(host).matches();
      names.add(new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host));
    }
    subject
        .uri()
        .ifPresent(uri -> names.add(new GeneralName(GeneralName.uniformResourceIdentifier, uri)));
    KeyPair keys = keys();
    X500Name name =
        new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, subject.name()).build();
    X509v3CertificateBuilder builder = leaf(name, keys.getPublic(), now, validity);
    if (!names.isEmpty()) {
      add(
          builder,
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(names.toArray(GeneralName[]::new)));
    }
    add(builder, Extension.extendedKeyUsage, false, usage(use));
    return signed(builder, keys.getPrivate(), self.key());
  }

  /** Signs a certificate that says the same as an older one, with a new key. */
  IssuedCertificate renew(X509Certificate old, Instant now, Duration validity) {
    KeyPair keys = keys();
    X509v3CertificateBuilder builder = leaf(subject(old), keys.getPublic(), now, validity);
    try {
      JcaX509CertificateHolder former = new JcaX509CertificateHolder(old);
      for (ASN1ObjectIdentifier kind :
          List.of(Extension.subjectAlternativeName, Extension.extendedKeyUsage)) {
        Extension said = former.getExtension(kind);
        if (said != null) {
          builder.addExtension(said);
        }
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("a certificate cannot be renewed", e);
    }
    return signed(builder, keys.getPrivate(), self.key());
  }

  /**
   * Signs a list of revoked certificates.
   *
   * @param former the list before it, whose entries stay
   * @param also the number of a certificate to add
   */
  X509CRL revoke(
      Optional<X509CRL> former, Optional<BigInteger> also, Instant now, Duration validity) {
    JcaX509v2CRLBuilder builder = new JcaX509v2CRLBuilder(self.certificate(), Date.from(now));
    builder.setNextUpdate(Date.from(end(now, validity)));
    try {
      BigInteger number = BigInteger.ONE;
      if (former.isPresent()) {
        JcaX509CRLHolder holder = new JcaX509CRLHolder(former.get());
        builder.addCRL(holder);
        Extension last = holder.getExtension(Extension.cRLNumber);
        number =
            last == null
                ? number
                : CRLNumber.getInstance(last.getParsedValue()).getCRLNumber().add(BigInteger.ONE);
      }
      also.ifPresent(
          serial -> builder.addCRLEntry(serial, Date.from(now), CRLReason.keyCompromise));
      builder.addExtension(Extension.cRLNumber, false, new CRLNumber(number));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          extensions().createAuthorityKeyIdentifier(self.certificate().getPublicKey()));
      return new JcaX509CRLConverter()
          .getCRL(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(self.key())));
    } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException("a list of revoked certificates cannot be signed", e);
    }
  }

  private Instant end(Instant now, Duration validity) {
    Instant end = now.plus(validity);
    Instant last = self.certificate().getNotAfter().toInstant();
    return end.isBefore(last) ? end : last;
  }

  private X509v3CertificateBuilder leaf(
      X500Name subject, PublicKey key, Instant now, Duration validity) {
    X509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            subject(self.certificate()),
            serial(),
            Date.from(now.minus(BEHIND_MAX)),
            Date.from(end(now, validity)),
            subject,
            key);
    add(builder, Extension.basicConstraints, true, new BasicConstraints(false));
    add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
    add(
        builder,
        Extension.subjectKeyIdentifier,
        false,
        extensions().createSubjectKeyIdentifier(key));
    add(
        builder,
        Extension.authorityKeyIdentifier,
        false,
        extensions().createAuthorityKeyIdentifier(self.certificate().getPublicKey()));
    return builder;
  }

  private static ExtendedKeyUsage usage(Use use) {
    return switch (use) {
      case SERVER -> new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth);
      case CLIENT -> new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth);
      case PEER ->
          new ExtendedKeyUsage(
              new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth});
    };
  }

  private static X500Name subject(X509Certificate certificate) {
    return X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
  }

  private static KeyPair keys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has keys on P-256", e);
    }
  }

  private static BigInteger serial() {
    return new BigInteger(SERIAL_BITS, RANDOM).setBit(0);
  }

  private static JcaX509ExtensionUtils extensions() {
    try {
      return new JcaX509ExtensionUtils();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-1, which names keys", e);
    }
  }

  private static void add(
      X509v3CertificateBuilder builder,
      ASN1ObjectIdentifier kind,
      boolean critical,
      ASN1Encodable value) {
    try {
      builder.addExtension(kind, critical, value);
    } catch (IOException e) {
      throw new IllegalStateException("an extension of a certificate cannot be written", e);
    }
  }

  private static IssuedCertificate signed(
      X509v3CertificateBuilder builder, PrivateKey key, PrivateKey signing) {
    try {
      X509Certificate certificate =
          new JcaX509CertificateConverter()
              .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(signing)));
      return new IssuedCertificate(certificate, key);
    } catch (OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException("a certificate cannot be signed", e);
    }
  }

  @Override
  public String toString() {
    // Without the key.
    return "authority " + Arrays.toString(self.certificate().getSerialNumber().toByteArray());
  }
}
