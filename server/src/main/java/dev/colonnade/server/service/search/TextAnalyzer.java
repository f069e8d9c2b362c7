package dev.colonnade.server.service.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.analysis.tokenattributes.TermToBytesRefAttribute;
import org.apache.lucene.util.BytesRef;

/** Cuts texts into terms, as one of Lucene's analyzers does. Thread-safe. */
final class TextAnalyzer {

  /** Lucene asks for the name of a field, which only an analyzer of several fields looks at. */
  private static final String FIELD = "text";

  /** Takes the terms of a text, in their order. */
  @FunctionalInterface
  interface TermSink {
    /**
     * Takes a term.
     *
     * @param term in UTF-8, for most analyzers
     * @param position from 0; several terms may have one, and positions may be left out
     */
    void accept(byte[] term, int position);
  }

  private final Analyzer analyzer;

  TextAnalyzer(Analyzer analyzer) {
    this.analyzer = analyzer;
  }

  /** Cuts a text into terms. */
  void analyze(String text, TermSink sink) {
    try (TokenStream tokens = analyzer.tokenStream(FIELD, text)) {
      TermToBytesRefAttribute term = tokens.getAttribute(TermToBytesRefAttribute.class);
      PositionIncrementAttribute increment = tokens.addAttribute(PositionIncrementAttribute.class);
      tokens.reset();
      int position = -1;
      while (tokens.incrementToken()) {
        position = Math.max(0, position + increment.getPositionIncrement());
        sink.accept(copy(term.getBytesRef()), position);
      }
      tokens.end();
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot fail to be read", e);
    }
  }

  /** Brings the beginning of a term into the form that terms have, without cutting it. */
  byte[] normalize(String beginning) {
    return copy(analyzer.normalize(FIELD, beginning));
  }

  private static byte[] copy(BytesRef term) {
    return Arrays.copyOfRange(term.bytes, term.offset, term.offset + term.length);
  }
}
