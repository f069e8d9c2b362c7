package dev.colonnade.server.node.tls;

import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The node that a certificate names, in a subject alternative name of the kind URI: {@code
 * colonnade://CLUSTER/HOST-ID}. Characters of the cluster's name other than letters, digits and
 * {@code . _ -} are written as {@code %XX}, byte by byte in UTF-8.
 *
 * @param clusterName the cluster that it belongs to
 * @param hostId its id, 32 hexadecimal digits in lower case
 */
public record CertifiedNode(String clusterName, String hostId) {

  private static final String SCHEME = "colonnade://";
  private static final Pattern FORM =
      Pattern.compile(SCHEME + "((?:[A-Za-z0-9._-]|%[0-9A-F]{2}){1,1200})/([0-9a-f]{32})");
  private static final Pattern HOST_ID = Pattern.compile("[0-9a-f]{32}");

  /** The number of this kind of name in RFC 5280. */
  private static final int URI = 6;

  /**
   * Names a node.
   *
   * @throws IllegalArgumentException if the cluster's name is blank or the id is not one
   */
  public CertifiedNode {
    if (clusterName.isBlank() || !HOST_ID.matcher(hostId).matches()) {
      throw new IllegalArgumentException(
          "a host id has 32 hexadecimal digits in lower case, and a cluster a name; got '"
              + hostId
              + "' and '"
              + clusterName
              + "'");
    }
  }

  /** The name as it stands in a certificate. */
  public String uri() {
    StringBuilder text = new StringBuilder(SCHEME);
    for (byte each : clusterName.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (each & 0xff);
      boolean plain =
          (c >= 'A' && c <= 'Z')
              || (c >= 'a' && c <= 'z')
              || (c >= '0' && c <= '9')
              || c == '.'
              || c == '_'
              || c == '-';
      if (plain) {
        text.append(c);
      } else {
        text.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
      }
    }
    return text.append('/').append(hostId).toString();
  }

  /** Reads such a name; empty if it is none. */
  public static Optional<CertifiedNode> parse(String uri) {
    Matcher matcher = FORM.matcher(uri);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String cluster = decoded(matcher.group(1));
    return cluster.isBlank()
        ? Optional.empty()
        : Optional.of(new CertifiedNode(cluster, matcher.group(2)));
  }

  private static String decoded(String text) {
    byte[] bytes = new byte[text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '%') {
        bytes[length++] = (byte) HexFormat.fromHexDigits(text, i + 1, i + 3);
        i += 2;
      } else {
        bytes[length++] = (byte) text.charAt(i);
      }
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /** The node that a certificate names; empty unless it names exactly one. */
  public static Optional<CertifiedNode> in(X509Certificate certificate) {
    Collection<List<?>> names;
    try {
      names = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException e) {
      return Optional.empty();
    }
    if (names == null) {
      return Optional.empty();
    }
    List<CertifiedNode> nodes =
        names.stream()
            .filter(name -> Integer.valueOf(URI).equals(name.get(0)))
            .flatMap(name -> parse(String.valueOf(name.get(1))).stream())
            .toList();
    return nodes.size() == 1 ? Optional.of(nodes.get(0)) : Optional.empty();
  }
}
