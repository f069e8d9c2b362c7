package dev.colonnade.client;

/** There is a keyspace or column family of that name. */
public final class AlreadyExistsException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  AlreadyExistsException(Failure failure) {
    super(failure);
  }
}
