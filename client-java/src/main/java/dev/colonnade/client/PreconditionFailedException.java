package dev.colonnade.client;

/** The request is well-formed and the state of the node or of the schema forbids it. */
public final class PreconditionFailedException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  PreconditionFailedException(Failure failure) {
    super(failure);
  }
}
