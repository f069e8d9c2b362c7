package dev.colonnade.server.service.rpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What the certificate of a client says of its holder: the common name of its subject, and then its
 * alternative names (mail, DNS, URI). Read once for each connection. The transport has verified the
 * certificate before.
 */
public final class CertificateNames {

  private static final Attributes.Key<List<String>> KEY =
      Attributes.Key.create("colonnade-certificate-names");

  private static final int MAIL = 1;
  private static final int DNS = 2;
  private static final int URI = 6;

  /** More names than this are not looked at. */
  private static final int MOST = 16;

  private CertificateNames() {}

  /** Reads the names of each connection's certificate. */
  static ServerTransportFilter filter() {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        List<String> names = of(attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
        return names.isEmpty() ? attributes : attributes.toBuilder().set(KEY, names).build();
      }
    };
  }

  /** The names of the certificate of a call's connection; empty without one. */
  static List<String> of(Attributes attributes) {
    List<String> names = attributes.get(KEY);
    return names == null ? List.of() : names;
  }

  /** The names of the certificate that the other end of a connection showed; empty without one. */
  public static List<String> of(@Nullable SSLSession session) {
    if (session == null) {
      return List.of();
    }
    try {
      Certificate[] chain = session.getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate certificate
          ? of(certificate)
          : List.of();
    } catch (SSLPeerUnverifiedException withoutCertificate) {
      return List.of();
    }
  }

  static List<String> of(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    try {
      LdapName subject = new LdapName(certificate.getSubjectX500Principal().getName());
      for (Rdn part : subject.getRdns()) {
        if (part.getType().equalsIgnoreCase("CN")) {
          // The parts are from the least specific to the most specific one.
          names.add(0, String.valueOf(part.getValue()));
        }
      }
      Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
      if (alternatives != null) {
        for (List<?> alternative : alternatives) {
          int kind = (Integer) alternative.get(0);
          if (kind == MAIL || kind == DNS || kind == URI) {
            names.add(String.valueOf(alternative.get(1)));
          }
        }
      }
    } catch (InvalidNameException | CertificateParsingException e) {
      return List.of();
    }
    return List.copyOf(names.subList(0, Math.min(MOST, names.size())));
  }
}
