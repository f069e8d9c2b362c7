package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.core.SimpleAnalyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.it.ItalianAnalyzer;
import org.apache.lucene.analysis.nl.DutchAnalyzer;
import org.apache.lucene.analysis.pt.PortugueseAnalyzer;
import org.apache.lucene.analysis.ru.RussianAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.sv.SwedishAnalyzer;

/**
 * Finds the analyzer that an index names: one of Lucene's by a short name, or a user's class from a
 * plug-in jar. Each is loaded when it is first asked for, on a stage that may wait for the disk: a
 * node without indexes loads none of Lucene's classes.
 *
 * <p>Thread-safe.
 */
public final class Analyzers {

  /** The analyzer of an index that names none. */
  public static final String DEFAULT = "standard";

  private static final String PROBE = "Any text: 2 or 3 words.";

  private final PlugIns plugIns;
  private final Scheduler scheduler;
  private final Map<String, CompletableFuture<TextAnalyzer>> loaded = new ConcurrentHashMap<>();

  /** Creates the analyzers of a node. */
  public Analyzers(PlugIns plugIns, Scheduler scheduler) {
    this.plugIns = plugIns;
    this.scheduler = scheduler;
  }

  /**
   * Checks the name of an analyzer; fails with {@link SearchException} if this node has none of
   * that name, or cannot use it.
   *
   * @param field the path of the name in the request
   */
  public CompletableFuture<Void> check(String name, String field) {
    return load(name)
        .handle(
            (analyzer, failure) -> {
              if (failure == null) {
                return null;
              }
              if (unwrapped(failure) instanceof MissingAnalyzer missing) {
                throw SearchException.invalid(field, missing.text());
              }
              throw asUnchecked(failure);
            });
  }

  /**
   * The analyzer of an index. Fails with {@link CoordinationException.NodeNotReady} if this node
   * lacks it: others may have the jar.
   */
  CompletableFuture<TextAnalyzer> of(String name) {
    CompletableFuture<TextAnalyzer> ready = loaded.get(name);
    if (ready != null && ready.isDone() && !ready.isCompletedExceptionally()) {
      return ready;
    }
    return load(name)
        .exceptionally(
            failure -> {
              if (unwrapped(failure) instanceof MissingAnalyzer missing) {
                throw new CoordinationException.NodeNotReady(
                    "this node cannot analyze texts of the index: " + missing.text());
              }
              throw asUnchecked(failure);
            });
  }

  private CompletableFuture<TextAnalyzer> load(String name) {
    CompletableFuture<TextAnalyzer> mine = new CompletableFuture<>();
    CompletableFuture<TextAnalyzer> known = loaded.putIfAbsent(name, mine);
    if (known != null) {
      return known;
    }
    // A failure is not kept: names of failures are not bounded, and the next try may succeed.
    Then.whenDone(
        mine,
        (analyzer, failure) -> {
          if (failure != null) {
            loaded.remove(name, mine);
          }
        });
    boolean queued =
        scheduler.submit(
            Stage.READ, () -> Then.onBehalfOf(mine, () -> mine.complete(loadNow(name))));
    if (!queued) {
      mine.completeExceptionally(new CoordinationException.Overloaded("reads that wait"));
    }
    return mine;
  }

  private TextAnalyzer loadNow(String name) {
    Supplier<Analyzer> builtIn = BuiltIn.BY_NAME.get(name);
    if (builtIn != null) {
      return new TextAnalyzer(builtIn.get());
    }
    if (name.indexOf('.') < 0) {
      throw new MissingAnalyzer(
          "there is no analyzer '"
              + name
              + "'; there are "
              + String.join(", ", BuiltIn.BY_NAME.keySet())
              + ", and a class of yours is named with its package");
    }
    try {
      TextAnalyzer analyzer = new TextAnalyzer(plugIns.load(name, Analyzer.class));
      analyzer.analyze(PROBE, (term, position) -> {});
      return analyzer;
    } catch (PlugInException e) {
      throw new MissingAnalyzer(String.valueOf(e.getMessage()));
    } catch (RuntimeException | LinkageError e) {
      throw new MissingAnalyzer("the analyzer " + name + " cannot be used: " + e);
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return Errors.unwrap(failure);
  }

  private static RuntimeException asUnchecked(Throwable failure) {
    return unwrapped(failure) instanceof RuntimeException known
        ? known
        : new IllegalStateException("an analyzer could not be loaded", failure);
  }

  /** This node has no such analyzer. */
  private static final class MissingAnalyzer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingAnalyzer(String message) {
      super(message, null, false, false);
    }

    String text() {
      return String.valueOf(getMessage());
    }
  }

  /** Lucene's; a class of its own, so that they are not loaded before the first index is used. */
  private static final class BuiltIn {
    private static final Map<String, Supplier<Analyzer>> BY_NAME =
        new TreeMap<>(
            Map.ofEntries(
                Map.entry(DEFAULT, StandardAnalyzer::new),
                Map.entry("simple", SimpleAnalyzer::new),
                Map.entry("whitespace", WhitespaceAnalyzer::new),
                Map.entry("keyword", KeywordAnalyzer::new),
                Map.entry("english", EnglishAnalyzer::new),
                Map.entry("german", GermanAnalyzer::new),
                Map.entry("french", FrenchAnalyzer::new),
                Map.entry("spanish", SpanishAnalyzer::new),
                Map.entry("italian", ItalianAnalyzer::new),
                Map.entry("portuguese", PortugueseAnalyzer::new),
                Map.entry("dutch", DutchAnalyzer::new),
                Map.entry("swedish", SwedishAnalyzer::new),
                Map.entry("russian", RussianAnalyzer::new)));

    private BuiltIn() {}
  }
}
