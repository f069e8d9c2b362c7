package dev.colonnade.server.node.tls;

/** A file of certificates or keys cannot be used; the message names it and says why. */
public final class CertificateFileException extends Exception {

  private static final long serialVersionUID = 1;

  /** With a message for operators. */
  public CertificateFileException(String message) {
    super(message);
  }

  /** With a message for operators, and its cause. */
  public CertificateFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
