package dev.colonnade.client;

/** Stored data is damaged and no replica has it whole. */
public final class CorruptDataException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  CorruptDataException(Failure failure) {
    super(failure);
  }
}
