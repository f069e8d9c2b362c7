package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Attribute;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code with a = v and b = {c: d} …}. */
final class AttributeParser {

  private final Tokens tokens;
  private final PathParser paths;
  private final List<Vocabulary.Setting> settings;

  AttributeParser(Tokens tokens, PathParser paths, List<Vocabulary.Setting> settings) {
    this.tokens = tokens;
    this.paths = paths;
    this.settings = settings;
  }

  List<Attribute> attributes() throws SyntaxException {
    List<Attribute> attributes = new ArrayList<>();
    if (tokens.accept("with")) {
      do {
        Token first = tokens.peek();
        Attribute attribute = attribute();
        if (attributes.stream().anyMatch(other -> other.name().equals(attribute.name()))) {
          throw tokens.error(first, attribute.name() + " is set twice");
        }
        attributes.add(attribute);
      } while (tokens.accept("and"));
    }
    return attributes;
  }

  private Attribute attribute() throws SyntaxException {
    Token first = tokens.peek();
    String refusal = Vocabulary.REFUSED_SETTINGS.get(first.lower());
    if (refusal != null) {
      throw tokens.error("leave " + first.lower() + " out: " + refusal);
    }
    String name =
        Vocabulary.setting(settings, first.text())
            .orElseThrow(
                () ->
                    tokens.unexpected(
                        settings.stream().map(Vocabulary.Setting::name).toArray(String[]::new)))
            .name();
    tokens.take();
    tokens.expectSymbol("=");
    Map<String, String> options = new LinkedHashMap<>();
    String value;
    if (tokens.acceptSymbol("{")) {
      map(options);
      value = Statements.options(options);
    } else if (tokens.acceptSymbol("[")) {
      list(options);
      value = Statements.options(options);
    } else {
      value = paths.run("a value");
    }
    return new Attribute(first.position(), name, value, options);
  }

  private void list(Map<String, String> options) throws SyntaxException {
    while (!tokens.acceptSymbol("]")) {
      if (tokens.acceptSymbol("{")) {
        map(options);
      } else {
        entry(options);
      }
      if (!tokens.acceptSymbol(",") && !tokens.peek().is("]")) {
        throw tokens.unexpected();
      }
    }
  }

  private void map(Map<String, String> options) throws SyntaxException {
    while (!tokens.acceptSymbol("}")) {
      entry(options);
      if (!tokens.acceptSymbol(",") && !tokens.peek().is("}")) {
        throw tokens.unexpected();
      }
    }
  }

  private void entry(Map<String, String> options) throws SyntaxException {
    Token key = tokens.peek();
    String name = plain("a name");
    if (!tokens.acceptSymbol(":") && !tokens.acceptSymbol("=")) {
      throw tokens.unexpected();
    }
    if (options.put(name, plain("a value")) != null) {
      throw tokens.error(key, name + " is set twice");
    }
  }

  private String plain(String what) throws SyntaxException {
    return switch (tokens.peek().kind()) {
      case WORD, TEXT, NUMBER -> tokens.take().text();
      case HEX -> "0x" + tokens.take().text();
      default -> throw tokens.unexpected(what);
    };
  }
}
