package dev.colonnade.client;

/** There is no such keyspace or column family. Names are case-sensitive. */
public final class NotFoundException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  NotFoundException(Failure failure) {
    super(failure);
  }
}
