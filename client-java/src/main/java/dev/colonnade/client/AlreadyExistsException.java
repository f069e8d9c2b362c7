package dev.colonnade.client;

/** A keyspace or column family with that name exists already. */
public final class AlreadyExistsException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  AlreadyExistsException(Failure failure) {
    super(failure);
  }
}
