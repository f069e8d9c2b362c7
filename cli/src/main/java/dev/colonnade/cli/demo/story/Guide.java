package dev.colonnade.cli.demo.story;

import dev.colonnade.client.Colonnade;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs one walkthrough: prints each step with its answer, and collects the checks. For one thread.
 */
public final class Guide {

  private final Colonnade client;
  private final CallCount calls;
  private final Narration narration;
  private final List<Check> checks = new ArrayList<>();
  private final List<Question> questions = new ArrayList<>();

  /**
   * @param calls the listener of that client
   */
  public Guide(Colonnade client, CallCount calls, Narration narration) {
    this.client = client;
    this.calls = calls;
    this.narration = narration;
  }

  /** The client to make all calls with. */
  public Colonnade client() {
    return client;
  }

  /** The calls that were made so far. */
  public CallCount calls() {
    return calls;
  }

  /** A sentence for the reader. */
  public void say(String text) {
    narration.say(text);
  }

  /** Makes a change. */
  public void tell(String statement, Runnable change) {
    narration.statement(statement);
    change.run();
  }

  /**
   * Asks, and shows the answer.
   *
   * @param statement the question, as one would type it
   * @param drawing the answer as {@link Drawing} takes it: maps, lists, numbers, text
   */
  public <T> T ask(String statement, Supplier<T> question, Function<? super T, Object> drawing) {
    narration.statement(statement);
    questions.add(new Question(statement, () -> drawing.apply(question.get())));
    T answer = question.get();
    narration.answer(Drawing.of(drawing.apply(answer)));
    return answer;
  }

  /** The same where the answer can be drawn as it is: a number, text, a map, a list. */
  public <T> T ask(String statement, Supplier<T> question) {
    return ask(statement, question, answer -> answer);
  }

  /** Shows lines that are neither a question nor an answer, such as a page of the application. */
  public void show(List<String> lines) {
    narration.lines(lines);
  }

  /** Compares an answer with what the article promises. Order matters, also of map entries. */
  public void check(String claim, Object expected, @Nullable Object found) {
    Check check = new Check(claim, written(expected), written(found));
    checks.add(check);
    narration.verdict(check);
  }

  /** Everything that was checked, in that order. */
  public List<Check> checks() {
    return List.copyOf(checks);
  }

  /** Everything that was asked, in that order. */
  public List<Question> questions() {
    return List.copyOf(questions);
  }

  private static String written(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + written(entry.getValue()))
          .collect(Collectors.joining(", "));
    }
    if (value instanceof Collection<?> list) {
      return list.stream().map(Guide::written).collect(Collectors.joining(" | "));
    }
    return String.valueOf(value);
  }
}
