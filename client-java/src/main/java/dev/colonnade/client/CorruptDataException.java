package dev.colonnade.client;

/** Stored data is damaged and no replica has a sound copy. */
public final class CorruptDataException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  CorruptDataException(Failure failure) {
    super(failure);
  }
}
