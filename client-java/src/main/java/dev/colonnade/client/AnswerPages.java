package dev.colonnade.client;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fetches an administrative answer page by page, one after the other, and joins the pages. A node
 * of a release without pages answers with all of it as the first and only page.
 */
final class AnswerPages<R> {

  /** The most entries that a page is asked to have; the node bounds its bytes. */
  static final int SIZE = 10_000;

  private final Function<String, CompletableFuture<R>> fetch;
  private final Function<R, String> next;
  private final BinaryOperator<R> join;
  private final CompletableFuture<R> all = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<R> running;

  private AnswerPages(
      Function<String, CompletableFuture<R>> fetch,
      Function<R, String> next,
      BinaryOperator<R> join) {
    this.fetch = fetch;
    this.next = next;
    this.join = join;
  }

  /**
   * Fetches all pages; cancelling the future ends the call for the page that is on its way.
   *
   * @param fetch asks for the page of a token, the first one of an empty token
   * @param next the token of the page after one, empty at the end
   * @param join makes one answer of two that follow each other
   */
  static <R> CompletableFuture<R> all(
      Function<String, CompletableFuture<R>> fetch,
      Function<R, String> next,
      BinaryOperator<R> join) {
    AnswerPages<R> pages = new AnswerPages<>(fetch, next, join);
    Transport.whenCancelled(pages.all, pages::cancel);
    pages.fetch("", null);
    return pages.all;
  }

  /** Joins answers that are lists: entries follow each other. */
  @SuppressWarnings("unchecked") // A builder makes messages of its own type.
  static <R extends Message> R appended(R before, R page) {
    return (R) before.toBuilder().mergeFrom(page).build();
  }

  private void cancel() {
    CompletableFuture<R> page = running;
    if (page != null) {
      page.cancel(false);
    }
  }

  private void fetch(String token, @Nullable R before) {
    CompletableFuture<R> page = fetch.apply(token);
    running = page;
    if (all.isCancelled()) {
      page.cancel(false);
      return;
    }
    var unused =
        page.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                all.completeExceptionally(failure);
                return;
              }
              try {
                R joined = before == null ? answer : join.apply(before, answer);
                String then = next.apply(answer);
                if (then.isEmpty()) {
                  all.complete(joined);
                } else {
                  fetch(then, joined);
                }
              } catch (RuntimeException e) {
                all.completeExceptionally(e);
              }
            });
  }
}
