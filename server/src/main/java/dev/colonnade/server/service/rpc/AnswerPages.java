package dev.colonnade.server.service.rpc;

import com.google.protobuf.MessageLite;
import dev.colonnade.server.base.model.FamilyId;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One page of an administrative answer that grows with the cluster. Entries come in the order of
 * their keys, and a token is the key of the last entry of its page: so any node can give the next
 * page, and what changes between two pages neither repeats other entries nor leaves them out.
 */
final class AnswerPages {

  /** A page ends with the entry that reaches this. */
  static final int PAGE_BYTES = 1 << 20;

  /** The most that a caller without pages gets; the clients of release 0.2.0 take no more. */
  static final int WHOLE_BYTES = 16 << 20;

  private static final String TOKEN = "page_token";

  /** Ends a name within a key, so that keys are ordered by the first name and then the second. */
  private static final char SEPARATOR = '\0';

  private final int size;
  private final @Nullable String after;
  private final long identity;

  private AnswerPages(int size, @Nullable String after, long identity) {
    this.size = size;
    this.after = after;
    this.identity = identity;
  }

  /**
   * The page that a request asks for.
   *
   * @param method so that tokens of different calls are not confused
   * @param selection the request without its page
   * @throws RequestRefusal if the size or the token is invalid
   */
  static AnswerPages asked(String method, MessageLite selection, int size, String token) {
    if (size < 0) {
      throw RequestRefusal.invalid("page_size", "a page has 1 entry or more; got " + size);
    }
    if (size == 0 && !token.isEmpty()) {
      throw RequestRefusal.invalid("page_size", "a page after the first has a size, too");
    }
    long identity = PageTokens.identity(method, new FamilyId(0, 0), selection);
    String after =
        token.isEmpty()
            ? null
            : new String(
                PageTokens.parse(token, TOKEN, identity, PageTokens.TokenReader::bytes),
                StandardCharsets.UTF_8);
    return new AnswerPages(size, after, identity);
  }

  /** Whether this is the first page, or all there is. */
  boolean isFirst() {
    return after == null;
  }

  /** The key of an entry that two names identify. */
  static String key(String first, String second) {
    return first + SEPARATOR + second;
  }

  /**
   * Adds the entries of this page to the answer.
   *
   * @param entries all, in the order of their keys
   * @param add adds one and returns its bytes
   * @return the token of the next page; empty if there is none
   * @throws RequestRefusal if the caller asked for no pages and there is too much for one answer
   */
  <T> String fill(Iterable<T> entries, Function<T, String> key, ToIntFunction<T> add) {
    long bytes = 0;
    int count = 0;
    String last = "";
    for (T entry : entries) {
      String now = key.apply(entry);
      if (after != null && now.compareTo(after) <= 0) {
        continue;
      }
      if (size > 0 && count > 0 && (count >= size || bytes >= PAGE_BYTES)) {
        return new PageTokens.Writer(identity)
            .bytes(last.getBytes(StandardCharsets.UTF_8))
            .finish();
      }
      bytes += add.applyAsInt(entry);
      count++;
      last = now;
      if (size == 0 && bytes > WHOLE_BYTES) {
        throw tooLarge();
      }
    }
    return "";
  }

  /**
   * Refuses an answer that clients do not take, and would report as a failure of the connection.
   */
  static <T> T bounded(T answer) {
    if (answer instanceof MessageLite message && message.getSerializedSize() > WHOLE_BYTES) {
      throw tooLarge();
    }
    return answer;
  }

  private static RequestRefusal tooLarge() {
    return RequestRefusal.of(
        Status.Code.FAILED_PRECONDITION,
        ErrorReasons.RESPONSE_TOO_LARGE,
        null,
        "the answer has more than "
            + WHOLE_BYTES
            + " bytes; ask for pages where the request has a page_size, or for less");
  }
}
