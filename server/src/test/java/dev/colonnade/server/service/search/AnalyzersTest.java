package dev.colonnade.server.service.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.ngram.NGramTokenFilter;
import org.junit.jupiter.api.Test;

/** Where analyzers come from. */
final class AnalyzersTest {

  private final SimScheduler scheduler = new SimScheduler(new SimClock());

  /** A user's own: parts of words. */
  public static final class Parts extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String fieldName) {
      Tokenizer words = new WhitespaceTokenizer();
      return new TokenStreamComponents(words, new NGramTokenFilter(words, 2, 3, false));
    }
  }

  private static final PlugIns JAR =
      new PlugIns() {
        @Override
        public <T> T load(String className, Class<T> kind) throws PlugInException {
          if (className.equals("com.example.Parts")) {
            return kind.cast(new Parts());
          }
          if (className.equals("com.example.Broken")) {
            throw new NoClassDefFoundError("com/example/Missing");
          }
          throw new PlugInException("there is no class " + className);
        }
      };

  private List<String> terms(TextAnalyzer analyzer, String text) {
    List<String> terms = new ArrayList<>();
    analyzer.analyze(
        text,
        (term, position) -> terms.add(new String(term, StandardCharsets.UTF_8) + "@" + position));
    return terms;
  }

  private TextAnalyzer load(PlugIns plugIns, String name) {
    CompletableFuture<TextAnalyzer> loading = new Analyzers(plugIns, scheduler).of(name);
    scheduler.runUntilIdle();
    return loading.join();
  }

  @Test
  void eachOfLucenesCutsInItsWay() {
    String text = "The houses' Gärten";
    assertEquals(
        List.of("the@0", "houses@1", "gärten@2"), terms(load(PlugIns.NONE, "standard"), text));
    assertEquals(List.of("hous@1", "gärten@2"), terms(load(PlugIns.NONE, "english"), text));
    assertEquals(
        List.of("The@0", "houses'@1", "Gärten@2"), terms(load(PlugIns.NONE, "whitespace"), text));
    assertEquals(List.of("The houses' Gärten@0"), terms(load(PlugIns.NONE, "keyword"), text));
    assertEquals(List.of("haus@0", "gart@1"), terms(load(PlugIns.NONE, "german"), "Häuser Gärten"));
  }

  @Test
  void aUsersOwnComesFromAJar() {
    assertEquals(List.of("ab@0", "abc@0", "bc@0"), terms(load(JAR, "com.example.Parts"), "abc"));
  }

  @Test
  void oneThatIsMissingIsNamedAndLookedForAgain() {
    boolean[] there = new boolean[1];
    PlugIns later =
        new PlugIns() {
          @Override
          public <T> T load(String className, Class<T> kind) throws PlugInException {
            return (there[0] ? JAR : NONE).load(className, kind);
          }
        };
    Analyzers analyzers = new Analyzers(later, scheduler);
    CompletableFuture<TextAnalyzer> missing = analyzers.of("com.example.Parts");
    scheduler.runUntilIdle();
    CompletionException thrown = assertThrows(CompletionException.class, missing::join);
    CoordinationException.NodeNotReady why =
        assertInstanceOf(CoordinationException.NodeNotReady.class, thrown.getCause());
    assertTrue(String.valueOf(why.getMessage()).contains("com.example.Parts"), why.getMessage());
    there[0] = true;
    CompletableFuture<TextAnalyzer> found = analyzers.of("com.example.Parts");
    scheduler.runUntilIdle();
    assertFalse(found.isCompletedExceptionally());
  }

  @Test
  void aNameOfNoneIsRefusedWithTheNamesOfAll() {
    for (String name : List.of("klingon", "com.example.Absent", "com.example.Broken")) {
      CompletableFuture<Void> check = new Analyzers(JAR, scheduler).check(name, "analyzer");
      scheduler.runUntilIdle();
      CompletionException thrown = assertThrows(CompletionException.class, check::join);
      SearchException refusal = assertInstanceOf(SearchException.class, thrown.getCause());
      assertEquals("analyzer", refusal.field());
      String message = String.valueOf(refusal.getMessage());
      assertTrue(message.contains(name), message);
      assertTrue(!name.equals("klingon") || message.contains("english, french"), message);
    }
  }
}
