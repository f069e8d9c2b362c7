package dev.colonnade.server.service.search;

/** The rules for terms and participants, which are the same in documents and in queries. */
final class IndexLimits {

  private IndexLimits() {}

  /** Refuses a term that is too long to be the name of a super column. */
  static void checkTerm(byte[] term, String field, SearchSettings limits) {
    if (term.length > limits.maxTermBytes()) {
      throw SearchException.tooLarge(
          field,
          "the index's analyzer makes a term of "
              + term.length
              + " bytes, at most "
              + limits.maxTermBytes()
              + " are allowed");
    }
  }

  /** Refuses a participant that is empty or too long. */
  static void checkParticipant(byte[] participant, String field, SearchSettings limits) {
    if (participant.length == 0 || participant.length > limits.maxParticipantBytes()) {
      throw SearchException.invalid(
          field,
          "a participant has 1 to "
              + limits.maxParticipantBytes()
              + " bytes; this one has "
              + participant.length);
    }
  }
}
